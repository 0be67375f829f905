/**
 * Commands that `rouse` carries out by itself: it writes the user's files, or talks to the process that holds an agent. It asks
 * here first, so that they are refused and recorded like all others, and reports the outcome.
 */
import * as z from "zod";
import type { Right } from "../../daemon/http/tokens.js";
import { AUDIT_RESULTS } from "../../store/audit-entry.js";
import type { FromInside } from "../from-inside.js";
import { agentField } from "./fields.js";
import { operation } from "./operation.js";

const localCommand = (
  command: string,
  summary: string,
  { right, fromInside }: { right: Exclude<Right, "read">; fromInside: FromInside },
) =>
  operation({
    summary,
    right,
    fromInside,
    audit: "handler",
    method: "post",
    path: `/v1/commands/${command.replaceAll(" ", "-")}`,
    input: z.object({
      agent: agentField.optional(),
      text: z.string().max(10_000).optional().describe("text to type, or the arguments of the command"),
    }),
    output: z.object({ ok: z.boolean(), line: z.number().describe("number of its line in the audit trail") }),
    surfaces: { http: false, cli: [command.split(" ")[0] ?? command] },
    example: { text: "example" },
    run: ({ audit }, input, client) => audit.begin(command, input, client),
  });

const USER_ONLY = { right: "admin", fromInside: "refused" } as const;
const CONTROL = { right: "control", fromInside: "workers" } as const;
const KEYBOARD = { right: "control", fromInside: "refused" } as const;

export const LOCAL_COMMANDS = {
  local_init: localCommand("init", "Permit the command line to write settings of agent programs.", USER_ONLY),
  local_config: localCommand("config", "Permit the command line to rewrite the configuration.", USER_ONLY),
  local_fleet: localCommand("fleet", "Permit the command line to set up, join or leave a fleet.", USER_ONLY),
  local_token: localCommand("token", "Permit the command line to create or revoke a token.", USER_ONLY),
  local_attach: localCommand("attach", "Permit the command line to pass the user's keys to an agent.", KEYBOARD),
  local_type: localCommand(
    "type",
    "Permit the command line to type into an agent that the daemon does not know.",
    CONTROL,
  ),
  local_type_unchecked: localCommand(
    "type unchecked",
    "Permit the command line to type into an agent without a check of its screen.",
    KEYBOARD,
  ),
  local_stop: localCommand("stop", "Permit the command line to end an agent.", CONTROL),
  local_outcome: operation({
    summary: "Record the outcome of a command that the command line has carried out.",
    right: "control",
    // Only its own command, which was permitted.
    fromInside: "allowed",
    audit: "handler",
    method: "post",
    path: "/v1/commands/outcome",
    input: z.object({
      line: z.number().int().min(1),
      result: z.enum(AUDIT_RESULTS),
      reason: z.string().max(2000).default(""),
    }),
    output: z.object({ ok: z.boolean() }),
    surfaces: { http: false, cli: ["config", "fleet", "init", "stop", "token", "type"] },
    example: { line: 1, result: "done" },
    run: ({ audit }, { line, result, reason }, client) => audit.finish(line, result, reason, client),
  }),
} as const;
