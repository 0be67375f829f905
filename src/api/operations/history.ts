/** Agents over time: the history of one agent, and the last 24 hours of all. */
import * as z from "zod";
import { ORIGINS } from "../../core/agent.js";
import { STATES } from "../../core/states.js";
import { agentField, timeField } from "./fields.js";
import { operation } from "./operation.js";
import { incidentRecord, time } from "./records.js";

const states = z.enum(STATES);

export const HISTORY = {
  history: operation({
    summary: "Show one agent over time: sessions, states, incidents with their actions, tokens and cost per hour.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}/history",
    input: z.object({ agent: agentField, since: timeField.optional().describe("default: 24 hours ago") }),
    output: z.object({
      agent: z.string(),
      since: time,
      until: time,
      sessions: z
        .array(
          z.object({
            session: z.string(),
            kind: z.string(),
            origin: z.enum(ORIGINS),
            task: z.string().nullable(),
            started_at: time,
            ended: z
              .object({ at: time, code: z.number().nullable(), signal: z.number().nullable() })
              .nullable()
              .describe("null while it runs"),
            states: z.partialRecord(states, z.number()).describe("seconds in each state, within the period"),
          }),
        )
        .describe("runs of the agent, oldest first"),
      states: z
        .array(
          z.object({
            session: z.string(),
            from: time,
            to: time.nullable().describe("null while it lasts"),
            state: states,
            cause: z.string().nullable(),
            reason: z.string().describe("first reason at that time"),
          }),
        )
        .describe("each time span in one state and cause, oldest first; at most the newest 1000"),
      states_omitted: z.number().describe("number of older time spans that are not listed"),
      usage: z
        .array(
          z.object({
            from: time.describe("start of the hour"),
            tokens: z.number(),
            cost_usd: z.number().nullable().describe("null if no price is known"),
          }),
        )
        .describe("tokens and cost of each hour with usage"),
      incidents: z.array(incidentRecord),
    }),
    surfaces: { library: "history", cli: ["history"] },
    example: { agent: "web" },
    run: ({ history }, { agent, since }) => history.history(agent, since),
  }),
  strips: operation({
    summary: "Show the last 24 hours of each agent, one state per slot of time.",
    right: "read",
    method: "get",
    path: "/v1/strips",
    input: z.object({
      agent: agentField.optional(),
      slot_mins: z
        .union([z.literal(15), z.literal(30), z.literal(60), z.enum(["15", "30", "60"]).transform(Number)])
        .default(30)
        .describe("length of a slot in minutes: 15, 30 or 60"),
    }),
    output: z.object({
      slot_secs: z.number(),
      until: time.describe("end of the last slot"),
      agents: z.array(
        z.object({
          agent: z.string(),
          states: z
            .array(states.nullable())
            .describe(
              "oldest first; a problem that lasted a minute counts before the longest state; null: not observed",
            ),
        }),
      ),
    }),
    surfaces: { library: "strips", cli: ["top"] },
    example: { slot_mins: 60 },
    run: ({ history }, { agent, slot_mins }) => history.strips(slot_mins, agent),
  }),
} as const;
