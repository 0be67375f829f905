/** Activity: whether an agent is active, whether it may be resumed, and which agents have gone quiet. */
import * as z from "zod";
import { ACTIVITY_SOURCES } from "../../core/judgement/activity-sources.js";
import { STATES } from "../../core/states.js";
import { CATEGORIES } from "../../daemon/views/check.js";
import { agentField, booleanField } from "./fields.js";
import { operation } from "./operation.js";
import { texts, time } from "./records.js";

const source = z.enum(Object.keys(ACTIVITY_SOURCES) as [string, ...string[]]);
const hours = z.coerce.number().min(0).max(100_000).optional();

export const ACTIVITY = {
  get_activity: operation({
    summary: "Assess one agent's activity from ten sources, and ask the guard whether rouse may nudge or resume it.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}/activity",
    input: z.object({ agent: agentField }),
    output: z.object({
      agent: z.string(),
      session: z.string(),
      known: z.boolean().describe("false if rouse could not see enough to tell"),
      is_active: z.boolean(),
      confidence: z.number(),
      last_activity: time.nullable().describe("latest signal of the ten sources, ISO 8601"),
      inactivity_minutes: z.number().nullable(),
      signals: z
        .array(z.object({ source, tier: z.number(), at: time, confidence: z.number() }))
        .describe("newest first"),
      validation_passed: z.boolean().describe("recent, and shown by at least one source of tier 1 or 2"),
      reasons: texts,
      lookback_minutes: z.number().describe("how far back it goes; longer for an agent that works in bursts"),
      usual_pause_minutes: z.number().nullable().describe("longest usual pause in its work; null until 20 were seen"),
      guard: z
        .object({ send: z.boolean(), may_ask: z.boolean(), reason: z.string() })
        .describe(
          "whether rouse may nudge or resume it (send), or ask it once per incident whether it is there (may_ask)",
        ),
    }),
    surfaces: { mcp: ["get_activity"], library: "getActivity", cli: ["check"] },
    example: { agent: "web" },
    run: ({ activity }, { agent }) => activity.get(agent),
  }),
  check: operation({
    summary: "Sort the agents by the age of their last activity: fresh, warning, critical, auto-resume.",
    right: "read",
    method: "get",
    path: "/v1/check",
    input: z.object({
      activity: booleanField.optional().describe("false: let the age alone decide"),
      warning_hours: hours,
      critical_hours: hours,
      auto_resume_hours: hours,
    }),
    output: z.object({
      agents: z.array(
        z.object({
          name: z.string(),
          session: z.string(),
          kind: z.string(),
          category: z.enum(CATEGORIES),
          category_by_age: z.enum(CATEGORIES),
          capped_because: z.string().nullable().describe("why the category is not worse"),
          state: z.enum(STATES),
          cause: z.string().nullable(),
          last_activity: time.describe("last status, report or progress, as in the record Agent. ISO 8601"),
          age_secs: z.number(),
          activity: z
            .object({
              known: z.boolean(),
              is_active: z.boolean(),
              confidence: z.number(),
              sources: z.array(source),
              last_activity: time.nullable(),
              reasons: texts,
            })
            .nullable(),
        }),
      ),
    }),
    surfaces: { library: "check", cli: ["check"] },
    example: {},
    run: ({ activity }, input) => ({ agents: activity.check(input) }),
  }),
} as const;
