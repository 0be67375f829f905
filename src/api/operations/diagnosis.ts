/** Diagnosis: a model's explanation of what is wrong, as advice. */
import * as z from "zod";
import { agentField } from "./fields.js";
import { operation } from "./operation.js";
import { texts } from "./records.js";

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
} as const;
