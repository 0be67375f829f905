/** Proven progress, in the sense that a problem asks for. */
import type { Evidence } from "../judgement/evidence/state.js";
import { traitsOf } from "../policy/problems.js";
import type { Problem } from "./problem.js";

export interface ProgressTimes {
  /** The model was last heard, or something was last achieved. */
  workAt: number | null;
  /** There was last a new outcome. */
  outcomeAt: number | null;
}

export const progressOf = ({ proof, burn }: Pick<Evidence, "proof" | "burn">): ProgressTimes => ({
  workAt: proof.workAt,
  outcomeAt: burn.progressAt,
});

export const progressAt = ({ workAt, outcomeAt }: ProgressTimes, problem: Problem): number | null =>
  traitsOf(problem).provenBy === "outcome" ? outcomeAt : workAt;
