/** Proven progress, in the sense that a trouble asks for. */
import type { Evidence } from "../evidence/evidence.js";
import type { Trouble } from "../trouble.js";

export interface Progress {
  /** The model was last heard, or something was last achieved. */
  workAt: number | null;
  /** There was last a new outcome. */
  outcomeAt: number | null;
}

export const progressOf = ({ proof, burn }: Pick<Evidence, "proof" | "burn">): Progress => ({
  workAt: proof.workAt,
  outcomeAt: burn.progressAt,
});

/** Whoever goes in circles is very active: only a new outcome proves anything. */
const CIRCLES: ReadonlySet<Trouble> = new Set<Trouble>([
  "loop",
  "repeated_error",
  "no_progress",
  "no_checkpoint",
  "stale_claim",
]);

export const progressAt = ({ workAt, outcomeAt }: Progress, trouble: Trouble): number | null =>
  CIRCLES.has(trouble) ? outcomeAt : workAt;
