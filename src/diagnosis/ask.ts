/** Asks a runner, with one attempt to repair an answer that does not fit. */
import { ANSWER_SCHEMA, type Answer, type AnswerFormat, parseAnswer } from "./answer.js";
import type { PromptText } from "./prompt.js";
import type { Runner, RunnerLimits } from "./runners/runner.js";

export interface Asked<T extends object = Answer> {
  answer: T | null;
  /** Why there is none. */
  reason: string | null;
  /** The runner gave no answer at all. */
  isUnavailable: boolean;
  costUsd: number | null;
  tookMs: number;
}

export const askRunner = (runner: Runner, prompt: PromptText, limits: RunnerLimits): Promise<Asked> =>
  askFor({ schema: ANSWER_SCHEMA, parse: parseAnswer }, runner, prompt, limits);

export async function askFor<T extends object>(
  { schema, parse }: AnswerFormat<T>,
  runner: Runner,
  prompt: PromptText,
  limits: RunnerLimits,
): Promise<Asked<T>> {
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
    const result = await runner.run({ system: prompt.system, user, schema }, { ...limits, totalMs });
    tookMs += result.tookMs;
    if (result.costUsd !== null) costUsd = (costUsd ?? 0) + result.costUsd;
    if ("reason" in result) return { answer: null, reason: result.reason, isUnavailable: true, costUsd, tookMs };
    const answer = parse(result.answer);
    if (typeof answer !== "string") return { answer, reason: null, isUnavailable: false, costUsd, tookMs };
    objection = answer;
  }
  return { answer: null, reason: `the answer is not valid: ${objection}`, isUnavailable: false, costUsd, tookMs };
}
