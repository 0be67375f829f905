/** What the benchmark asks a model: the question of a diagnosis, with a fixed menu of causes. */
import * as z from "zod";
import { DIAGNOSIS_ACTIONS } from "../../config/diagnosis.js";
import { PROBLEMS } from "../../core/incidents/problem.js";
import { traitsOf } from "../../core/policy/problems.js";
import { ANSWER_SCHEMA, type Answer, type AnswerFormat, answerSchema, parseAs } from "../../diagnosis/answer.js";
import { buildContext, type DiagnosisFacts } from "../../diagnosis/context.js";
import { buildPrompt, type PromptText } from "../../diagnosis/prompt.js";
import { actionKey, selectActions } from "../../diagnosis/whitelist.js";
import { CAUSES } from "./label.js";
import type { Verdict } from "./verdict.js";

const MENU = [
  ...PROBLEMS.map((problem) => [problem, traitsOf(problem).wording] as const),
  ["none", "nothing is wrong, or it is intended"] as const,
];

export const promptOf = (facts: DiagnosisFacts): PromptText =>
  buildPrompt(buildContext(facts), { allowed: DIAGNOSIS_ACTIONS, causes: MENU });

type MenuAnswer = Answer & { cause: string | null };

const menuSchema = answerSchema.extend({ cause: z.enum(CAUSES as [string, ...string[]]).nullable() });

const { required, properties } = ANSWER_SCHEMA as { required: string[]; properties: Record<string, unknown> };

export const MENU_ANSWER: AnswerFormat<MenuAnswer> = {
  schema: {
    ...ANSWER_SCHEMA,
    required: ["cause", ...required],
    properties: { cause: { type: ["string", "null"], enum: [...CAUSES, null] }, ...properties },
  },
  parse: (raw) => parseAs(menuSchema, raw),
};

/** What rouse would carry out if the user permitted everything. Preconditions are not checked: they are no merit of a model. */
export function verdictOfAnswer(answer: MenuAnswer): Pick<Verdict, "cause" | "actions" | "sendsMessage"> {
  const { actions, message } = selectActions(answer, DIAGNOSIS_ACTIONS);
  return { cause: answer.cause, actions: actions.map(actionKey), sendsMessage: message !== null };
}
