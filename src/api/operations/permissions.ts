/** Permissions: which agents rouse may act on. Not offered over MCP: an agent must not widen its own permissions. */
import * as z from "zod";
import { ORIGINS } from "../../core/agent.js";
import { PROBLEMS } from "../../core/incidents/problem.js";
import { durationField, problemField } from "./fields.js";
import { operation } from "./operation.js";
import { time } from "./records.js";

const problems = z.array(z.enum(PROBLEMS));

const permissionsRecord = z.object({
  all: z
    .object({ allowed: z.boolean(), except: problems, until: time.nullable() })
    .nullable()
    .describe("for all agents that rouse starts; null if not set"),
  agents: z.array(
    z.object({
      agent: z.string(),
      origin: z.enum(ORIGINS).nullable().describe("null if it is not running"),
      allowed: z.boolean(),
      except: problems,
      until: time.nullable(),
      by: z.enum(["name", "all"]).nullable().describe("set for this agent, for all agents, or not at all"),
    }),
  ),
  never: problems.describe("human-only problems: rouse never acts on them, whatever is allowed"),
});

export const PERMISSIONS = {
  permissions: operation({
    summary: "Show which agents rouse may act on.",
    right: "read",
    method: "get",
    path: "/v1/permissions",
    input: z.object({}),
    output: permissionsRecord,
    surfaces: { library: "permissions", cli: ["allow"] },
    example: {},
    run: ({ permissions }) => permissions.list(),
  }),
  allow: operation({
    summary: "Turn auto-recovery on or off: for agents by name, or for all agents that rouse starts.",
    right: "admin",
    fromInside: "refused",
    method: "post",
    path: "/v1/permissions",
    input: z.object({
      agents: z
        .union([z.literal("all"), z.array(z.string().min(1).max(200)).min(1).max(200)])
        .describe('names, or "all"'),
      allowed: z.boolean().default(true),
      except: z.array(problemField).max(PROBLEMS.length).default([]).describe("problems to leave alone"),
      for_secs: durationField.nullable().default(null).describe("null: until it is changed"),
    }),
    output: permissionsRecord,
    surfaces: { library: "allow", cli: ["allow", "demo"] },
    example: { agents: ["web"], allowed: true, for_secs: 28_800 },
    run: ({ permissions }, input) => permissions.allow(input),
  }),
} as const;
