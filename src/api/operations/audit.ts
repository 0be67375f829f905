/** The audit trail. Not offered over MCP. */
import * as z from "zod";
import { AUDIT_ORIGINS, AUDIT_RESULTS } from "../../store/audit-entry.js";
import { timeField } from "./fields.js";
import { operation } from "./operation.js";
import { texts, time } from "./records.js";

const LINES_MAX = 5000;

const auditLine = z.object({
  id: z.number().describe("number of the line; its outcome is a line of its own, so numbers are skipped"),
  at: time,
  author: z
    .string()
    .describe("user, token NAME, agent NAME, rouse (POLICY), or unknown: a change that no command of rouse made"),
  origin: z.enum(AUDIT_ORIGINS).describe("interface of the order; daemon: rouse itself"),
  action: z.string(),
  agent: z.string().nullable(),
  session: z.string().nullable(),
  text: z.string().describe("the typed text, or the arguments; secrets in known formats are masked"),
  result: z.enum(AUDIT_RESULTS).nullable().describe("null: under way, or the outcome was not stored"),
  reason: z.string(),
  ended_at: time.nullable(),
});

export const AUDIT = {
  audit: operation({
    summary: "List orders and actions: permissions, silences, tokens, configuration, typed texts, ended processes.",
    right: "read",
    method: "get",
    path: "/v1/audit",
    input: z.object({
      since: timeField.default(0).describe("ISO 8601, or milliseconds since 1970"),
      agent: z.string().min(1).max(200).optional(),
      limit: z.coerce.number().int().min(1).max(LINES_MAX).default(100).describe("the newest ones"),
    }),
    output: z.object({ lines: z.array(auditLine) }),
    surfaces: { library: "audit", cli: ["audit"] },
    example: { limit: 10 },
    run: ({ audit }, input) => audit.list(input),
  }),
  audit_check: operation({
    summary: "Verify that no line of the audit trail is missing or was altered.",
    right: "read",
    method: "get",
    path: "/v1/audit/check",
    input: z.object({}),
    output: z.object({
      lines: z.number(),
      oldest: z.number().nullable().describe("number of the oldest line that is kept"),
      newest: z.number().nullable(),
      problems: texts.describe("what is missing or was altered, and was not accepted since"),
    }),
    surfaces: { library: "checkAudit", cli: ["doctor"] },
    example: {},
    run: ({ audit }) => audit.check(),
  }),
  accept_audit: operation({
    summary: "Accept the present problems of the audit trail: `rouse doctor` no longer reports them.",
    right: "admin",
    fromInside: "refused",
    audit: "handler",
    method: "post",
    path: "/v1/audit/accept",
    input: z.object({}),
    output: z.object({ accepted: texts }),
    surfaces: { library: "acceptAudit", cli: ["audit"] },
    example: {},
    run: ({ audit }, _, client) => audit.accept(client),
  }),
} as const;
