/** Silences: no action, message or alert for an agent or a problem for a while. Not offered over MCP. */
import * as z from "zod";
import { PROBLEMS } from "../../core/incidents/problem.js";
import { durationField, problemField } from "./fields.js";
import { operation } from "./operation.js";
import { time } from "./records.js";

const silencesRecord = z.object({
  silences: z.array(
    z.object({
      agent: z.string().nullable().describe("null: every agent"),
      problem: z.enum(PROBLEMS).nullable().describe("the problem; null: every problem"),
      since: time,
      until: time,
    }),
  ),
});

export const SILENCES = {
  silences: operation({
    summary: "List the silences in force.",
    right: "read",
    method: "get",
    path: "/v1/silences",
    input: z.object({}),
    output: silencesRecord,
    surfaces: { library: "silences", cli: ["silence"] },
    example: {},
    run: ({ silences }) => silences.list(),
  }),
  silence: operation({
    summary: "Silence an agent, a problem, or one problem of one agent; or end a silence.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/silences",
    input: z.object({
      what: z.string().min(1).max(200).describe("name of an agent, or a problem such as rate_limited"),
      problem: problemField.nullable().default(null).describe("only this problem of the agent"),
      for_secs: durationField.nullable().describe("null ends the silence"),
    }),
    output: silencesRecord,
    surfaces: { library: "silence", cli: ["silence"] },
    example: { what: "web", for_secs: 7200 },
    run: ({ silences }, input) => silences.set(input),
  }),
} as const;
