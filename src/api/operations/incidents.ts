/** Incidents: list, show, acknowledge, give feedback, measure recoveries. */
import * as z from "zod";
import { ARMS } from "../../core/incidents/recovery-score.js";
import { agentField, booleanField, incidentField, problemField, timeField } from "./fields.js";
import { operation } from "./operation.js";
import { actionName, incidentRecord } from "./records.js";

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
  metrics: operation({
    summary: "Measure how often agents recovered within 10 minutes of a step, and without it.",
    right: "read",
    method: "get",
    path: "/v1/recoveries",
    input: z.object({}),
    output: z.object({
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
    run: ({ incidents }) => ({ recoveries: incidents.recoveries() }),
  }),
} as const;
