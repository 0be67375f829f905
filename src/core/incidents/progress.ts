/** Proven progress, as the problem and the last action define it. */
import { ACTIONS, type ActionRecord } from "../action.js";
import type { Evidence } from "../judgement/evidence/state.js";
import { traitsOf } from "../policy/problems.js";
import type { Problem } from "./problem.js";

export interface ProgressTimes {
  /** Last model output or achievement. */
  workAt: number | null;
  /** Last new outcome. */
  outcomeAt: number | null;
  /** Start of the last turn in which the model wrote something. */
  turnAt: number | null;
}

export const progressOf = ({ proof, burn }: Pick<Evidence, "proof" | "burn">): ProgressTimes => ({
  workAt: proof.workAt,
  outcomeAt: burn.progressAt,
  turnAt: proof.turnAt,
});

export const progressAt = ({ workAt, outcomeAt }: ProgressTimes, problem: Problem): number | null =>
  traitsOf(problem).provenBy === "outcome" ? outcomeAt : workAt;

/**
 * Progress since then and since the last action on the agent. A text that was typed, or a program that was started,
 * proves nothing by itself, and neither do records that are read afterwards: the model has to write in a new turn.
 */
export function isProven(
  progress: ProgressTimes,
  problem: Problem,
  seenAt: number,
  tried: ActionRecord | undefined,
): boolean {
  const provenAt = progressAt(progress, problem);
  if (provenAt === null || provenAt <= Math.max(seenAt, tried?.at ?? 0)) return false;
  if (!tried || !needsNewTurn(tried)) return true;
  return progress.turnAt !== null && progress.turnAt >= tried.at && provenAt >= progress.turnAt;
}

/** The turn continues after an interrupt that failed. */
const needsNewTurn = ({ do: name, outcome }: ActionRecord): boolean =>
  ACTIONS[name].startsTurn && !(name === "interrupt" && outcome?.result === "failed");
