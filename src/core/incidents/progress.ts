/** Proven progress, as the problem defines it. */
import type { Evidence } from "../judgement/evidence/state.js";
import { traitsOf } from "../policy/problems.js";
import type { Problem } from "./problem.js";

export interface ProgressTimes {
  /** Last model output or achievement. */
  workAt: number | null;
  /** Last new outcome. */
  outcomeAt: number | null;
}

export const progressOf = ({ proof, burn }: Pick<Evidence, "proof" | "burn">): ProgressTimes => ({
  workAt: proof.workAt,
  outcomeAt: burn.progressAt,
});

export const progressAt = ({ workAt, outcomeAt }: ProgressTimes, problem: Problem): number | null =>
  traitsOf(problem).provenBy === "outcome" ? outcomeAt : workAt;
