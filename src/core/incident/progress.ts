/** Proven progress, in the sense that a trouble asks for. */
import type { Evidence } from "../evidence/evidence.js";
import { traitsOf } from "../policy/problems.js";
import type { Trouble } from "../trouble.js";

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

export const progressAt = ({ workAt, outcomeAt }: ProgressTimes, trouble: Trouble): number | null =>
  traitsOf(trouble).provenBy === "outcome" ? outcomeAt : workAt;
