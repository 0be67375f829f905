/** The problems of incidents: causes, and states without a cause. A policy has one recovery plan for each. */
import type { Assessment } from "../judgement/assess.js";
import { PROBLEM_TABLE, traitsOf } from "../policy/problems.js";
import { PIPELINE_PROBLEMS, type Problem } from "../states.js";

export type { Problem } from "../states.js";

export const PROBLEMS: readonly Problem[] = Object.keys(PROBLEM_TABLE) as Problem[];

/** Without those of pipelines, which have no agent to act on. */
export const AGENT_PROBLEMS: readonly Problem[] = PROBLEMS.filter(
  (problem) => !(PIPELINE_PROBLEMS as readonly Problem[]).includes(problem),
);

export const HUMAN_ONLY: ReadonlySet<Problem> = new Set(PROBLEMS.filter((problem) => traitsOf(problem).humanOnly));

/** Why a policy may not use the action for this problem; null if it may. */
export function checkAllowedAction(problem: Problem, action: string): string | null {
  const { humanOnly, onlyActions } = traitsOf(problem);
  if (humanOnly) return "only you can resolve this problem, so it takes no steps";
  const isForbidden = onlyActions !== null && !onlyActions.some((name) => name === action);
  return isForbidden ? `only ${onlyActions.join(" and ")} are permitted for this problem` : null;
}

export const needsConfirming = (problem: Problem): boolean => traitsOf(problem).needsConfirmation;

export function problemOf({
  state,
  cause,
  asksUser,
}: Pick<Assessment, "state" | "cause" | "asksUser">): Problem | null {
  switch (state) {
    case "rate_limited":
      // The end of the limit changes nothing until the dialog is answered.
      return asksUser ? "needs_input" : state;
    case "needs_input":
    case "unknown":
      return state;
    case "stuck":
    case "error":
    case "gone":
      return isProblem(cause) ? cause : state === "stuck" ? null : state;
    default:
      return null;
  }
}

/** A question is open that only a user can answer: in `needs_input`, and in the dialog of a limit that stays until then. */
export const isQuestion = (assessment: Pick<Assessment, "state" | "cause" | "asksUser">): boolean =>
  problemOf(assessment) === "needs_input";

function isProblem(word: unknown): word is Problem {
  return (PROBLEMS as readonly unknown[]).includes(word);
}
