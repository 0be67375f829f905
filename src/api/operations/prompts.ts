/** Prompts that rouse would give. */
import * as z from "zod";
import { agentField } from "./fields.js";
import { operation } from "./operation.js";

export const PROMPTS = {
  resume_prompt: operation({
    summary: "Show the prompt that would resume an agent now, or why there is none.",
    right: "read",
    method: "get",
    path: "/v1/agents/{agent}/prompt",
    input: z.object({ agent: agentField }),
    output: z.object({
      agent: z.string(),
      prompt: z.string().nullable().describe("null: the agent is not to be resumed now"),
      reason: z.string().describe("why it would be resumed, or why not"),
    }),
    surfaces: { library: "resumePrompt", cli: ["prompt"] },
    example: { agent: "web" },
    run: ({ prompts }, { agent }) => prompts.resume(agent),
  }),
} as const;
