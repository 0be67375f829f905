/** Incidents: list, show, acknowledge, give feedback, measure recoveries. */
import * as z from "zod";
import { ARMS } from "../../core/incidents/recovery-score.js";
import { agentField, booleanField, incidentField, problemField, timeField } from "./fields.js";
import { operation } from "./operation.js";
import { actionName, incidentRecord, time } from "./records.js";

const figure = z.object({
  value: z.number().nullable().describe("a share, or minutes; null: not enough data"),
  high: z.number().nullable().describe("the value if all incidents that are not rated were false alarms"),
  count: z.number(),
  of: z.number().describe("stalls, runs of agents or recoveries that it is based on"),
  met: z.boolean().nullable().describe("whether the target is met; null: not known"),
});

const figures = z.object({
  stalls: z.number().describe("detected, without false alarms"),
  missed: z.number(),
  false_alarms: z.number(),
  unrated: z.number().describe("stalls that passed without an action and that you have not rated"),
  detection: figure.describe("target: at least 0.9 of the stalls"),
  recovery: figure.describe("target: at least 0.7 of the stalls that rouse acted on"),
  false_positives: figure.describe("target: below 0.05 of the runs of agents that did not stall"),
  time_to_recovery: figure.describe("minutes from the last activity to the action that helped; target: below 25"),
});

export const INCIDENTS = {
  incidents: operation({
    summary: "List incidents, each with its reasons, the actions taken and the next step.",
    right: "read",
    method: "get",
    path: "/v1/incidents",
    input: z.object({
      agent: agentField.optional(),
      all: booleanField.default(false).describe("include incidents that have ended"),
      since: timeField.optional().describe("include incidents that ended since then"),
    }),
    output: z.object({ incidents: z.array(incidentRecord) }),
    surfaces: { library: "incidents", cli: ["incidents", "status", "demo"] },
    example: { all: true },
    run: ({ incidents }, input) => ({ incidents: incidents.list(input) }),
  }),
  incident: operation({
    summary: "Show one incident.",
    right: "read",
    method: "get",
    path: "/v1/incidents/{incident}",
    input: z.object({ incident: incidentField }),
    output: incidentRecord,
    surfaces: { library: "incident", cli: ["incidents"] },
    example: { incident: "api" },
    run: ({ incidents }, { incident }) => incidents.show(incident),
  }),
  ack: operation({
    summary: "Acknowledge an incident and stop further action on it.",
    right: "control",
    fromInside: "refused",
    method: "post",
    path: "/v1/incidents/{incident}/ack",
    input: z.object({ incident: incidentField }),
    output: incidentRecord,
    surfaces: { library: "ackIncident", cli: ["ack"] },
    example: { incident: "api" },
    run: ({ incidents }, { incident }) => incidents.ack(incident),
  }),
  feedback: operation({
    summary:
      "Mark an incident as a real problem (right) or as a false alarm, which raises that agent's threshold for the problem.",
    right: "control",
    fromInside: "refused",
    method: "post",
    path: "/v1/incidents/{incident}/feedback",
    input: z.object({ incident: incidentField, feedback: z.enum(["false-alarm", "right"]) }),
    output: incidentRecord,
    surfaces: { library: "feedback", cli: ["feedback"] },
    example: { incident: "api", feedback: "right" },
    run: ({ incidents }, { incident, feedback }) => incidents.feedback(incident, feedback),
  }),
  missed: operation({
    summary: "Report a stall that rouse did not report; it counts against the detection rate.",
    right: "control",
    fromInside: "refused",
    method: "post",
    path: "/v1/agents/{agent}/missed",
    input: z.object({
      agent: agentField,
      at: timeField.optional().describe("when it stalled; default: now"),
      problem: problemField.optional().describe("its cause, if you know it"),
    }),
    output: z.object({ agent: z.string(), at: time, problem: problemField.nullable() }),
    surfaces: { library: "missed", cli: ["feedback"] },
    example: { agent: "api", problem: "silent_stream" },
    run: ({ incidents }, input) => incidents.missed(input),
  }),
  metrics: operation({
    summary:
      "Measure stalls: detection rate, recovery success, false positives and time to recovery, per cause, agent and week; and how often agents recovered within 10 minutes of a step, and without it.",
    right: "read",
    method: "get",
    path: "/v1/metrics",
    input: z.object({
      weeks: z.coerce.number().int().min(1).max(52).default(4).describe("calendar weeks, this one included"),
    }),
    output: z.object({
      since: time,
      until: time,
      overall: figures,
      by_cause: z.array(figures.extend({ cause: z.string() })),
      by_agent: z.array(figures.extend({ agent: z.string() })),
      by_week: z.array(figures.extend({ week: z.string().describe("its Monday, such as 2026-11-16") })),
      recoveries: z.array(
        z.object({
          problem: problemField,
          step: actionName,
          arm: z.enum(ARMS).describe("acted: the step was taken; shadow: it lacked only permission (the baseline)"),
          tried: z.number(),
          recovered: z.number().describe("new work within 10 minutes and before the next action"),
          rate: z.number().describe("recovered / tried"),
          low: z.number().describe("lower bound of the 95 % confidence interval (Wilson) of the rate"),
          high: z.number().describe("upper bound"),
        }),
      ),
    }),
    surfaces: { library: "metrics", cli: ["metrics"] },
    example: {},
    run: ({ incidents }, { weeks }) => incidents.metrics(weeks),
  }),
} as const;
