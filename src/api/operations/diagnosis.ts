/** Diagnosis: a model's explanation of what is wrong, as advice. */
import * as z from "zod";
import { agentField } from "./fields.js";
import { operation } from "./operation.js";
import { texts, time } from "./records.js";

const diagnosisRecord = z.object({
  id: z.string(),
  at: time,
  trigger: z.enum(["user", "automatic"]),
  about: z.string().nullable().describe("the agent that was asked about; null: all"),
  runner: z.string(),
  model: z.string(),
  findings: z
    .array(z.object({ about: z.string(), problem: z.string(), reasons: texts, advice: z.string() }))
    .describe("what rules found, without a model"),
  diagnosis: z.string().nullable().describe("the model's opinion; null: none"),
  message: z.string().nullable().describe("what it wants to send to you"),
  reason: z.string().nullable().describe("why there is no opinion"),
  actions: z
    .array(
      z.object({ action: z.string(), result: z.enum(["done", "refused", "failed", "ignored"]), reason: z.string() }),
    )
    .describe("recommended actions and what rouse did"),
  outcomes: z
    .array(
      z.object({
        incident: z.string(),
        agent: z.string(),
        problem: z.string(),
        result: z.enum(["open", "recovered", "closed"]),
        at: time.nullable().describe("when it ended"),
      }),
    )
    .describe("the incidents that it explains, and how each ended"),
  cost_usd: z.number().nullable(),
  took_secs: z.number(),
  feedback: z.enum(["right", "wrong"]).nullable(),
});

export const DIAGNOSIS = {
  diagnosis_context: operation({
    summary: "Show exactly what a diagnosis would send to a model: screens, tasks, incidents, redacted.",
    right: "read",
    method: "get",
    path: "/v1/diagnosis/context",
    input: z.object({ agent: agentField.optional().describe("agent to ask about; default: all") }),
    output: z.object({ lines: texts }),
    surfaces: { library: "diagnosisContext", cli: ["diagnose"] },
    example: { agent: "web" },
    run: ({ diagnosis }, { agent }) => diagnosis.context(agent),
  }),
  diagnose: operation({
    summary: "Ask a model to explain what is wrong; permitted actions are carried out if their precondition holds.",
    right: "control",
    fromInside: "refused",
    method: "post",
    path: "/v1/diagnosis",
    input: z.object({ agent: agentField.optional().describe("agent to ask about; default: all") }),
    output: diagnosisRecord,
    surfaces: { library: "diagnose", cli: ["diagnose"] },
    example: { agent: "web" },
    run: ({ diagnosis }, { agent }) => diagnosis.diagnose(agent),
  }),
  diagnoses: operation({
    summary: "List diagnoses, the newest first, with their actions, cost and feedback.",
    right: "read",
    method: "get",
    path: "/v1/diagnoses",
    input: z.object({ limit: z.coerce.number().int().min(1).max(500).default(20) }),
    output: z.object({
      diagnoses: z.array(diagnosisRecord),
      right: z.number().describe("diagnoses that you marked as right"),
      wrong: z.number().describe("diagnoses that you marked as wrong"),
    }),
    surfaces: { library: "diagnoses", cli: ["diagnose"] },
    example: { limit: 5 },
    run: ({ diagnosis }, { limit }) => diagnosis.list(limit),
  }),
  diagnosis_feedback: operation({
    summary: "Mark a diagnosis as right or wrong.",
    right: "control",
    fromInside: "refused",
    method: "post",
    path: "/v1/diagnoses/{diagnosis}/feedback",
    input: z.object({
      diagnosis: z.string().min(1).max(100).describe("id of a diagnosis, or its first characters"),
      feedback: z.enum(["right", "wrong"]),
    }),
    output: diagnosisRecord,
    surfaces: { library: "diagnosisFeedback", cli: ["diagnose"] },
    example: { diagnosis: "abc", feedback: "right" },
    run: ({ diagnosis }, { diagnosis: id, feedback }) => diagnosis.feedback(id, feedback),
  }),
} as const;
