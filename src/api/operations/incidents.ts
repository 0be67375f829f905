/** Incidents: list, show, acknowledge, give feedback. */
import * as z from "zod";
import { agentField, booleanField, incidentField, timeField } from "./fields.js";
import { operation } from "./operation.js";
import { incidentRecord } from "./records.js";

export const INCIDENTS = {
  incidents: operation({
    summary: "List incidents, each with its reasons, the actions taken and the next step.",
    right: "read",
    method: "get",
    path: "/v1/incidents",
    input: z.object({
      agent: agentField.optional(),
      all: booleanField.default(false).describe("include closed incidents"),
      since: timeField.optional().describe("include incidents closed since then"),
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
      "Mark an incident as right or as a false alarm; a false alarm raises that agent's threshold for the problem.",
    right: "control",
    method: "post",
    path: "/v1/incidents/{incident}/feedback",
    input: z.object({ incident: incidentField, feedback: z.enum(["false-alarm", "right"]) }),
    output: incidentRecord,
    surfaces: { library: "feedback", cli: ["feedback"] },
    example: { incident: "api", feedback: "right" },
    run: ({ incidents }, { incident, feedback }) => incidents.feedback(incident, feedback),
  }),
} as const;
