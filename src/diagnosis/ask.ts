/** Asks a runner, with one attempt to repair an answer that does not fit. */
import { ANSWER_SCHEMA, type Answer, parseAnswer } from "./answer.js";
import type { PromptText } from "./prompt.js";
import type { Runner, RunnerLimits } from "./runners/runner.js";

export interface Asked {
  answer: Answer | null;
  /** Why there is none. */
  reason: string | null;
  costUsd: number | null;
  tookMs: number;
}

export async function askRunner(runner: Runner, prompt: PromptText, limits: RunnerLimits): Promise<Asked> {
  let tookMs = 0;
  let costUsd: number | null = null;
  let objection = "";
  for (const attempt of [1, 2]) {
    const user =
      attempt === 1
        ? prompt.user
        : `${prompt.user}\nYour last answer was not valid (${objection}). Respond with the JSON object only.\n`;
    const totalMs = limits.totalMs - tookMs;
    if (totalMs < 1000) break;
    const result = await runner.run({ system: prompt.system, user, schema: ANSWER_SCHEMA }, { ...limits, totalMs });
    tookMs += result.tookMs;
    if (result.costUsd !== null) costUsd = (costUsd ?? 0) + result.costUsd;
    if ("reason" in result) return { answer: null, reason: result.reason, costUsd, tookMs };
    const answer = parseAnswer(result.answer);
    if (typeof answer !== "string") return { answer, reason: null, costUsd, tookMs };
    objection = answer;
  }
  return { answer: null, reason: `the answer is not valid: ${objection}`, costUsd, tookMs };
}
