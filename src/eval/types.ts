import type { TimelineEntry } from "../core/judgement/timeline.js";
import type { Cause, State } from "../core/states.js";

/** In order of time. */
export type Timeline = readonly TimelineEntry[];

/** A verdict with its time and reasons: the line that `rouse eval --worst` shows. */
export interface VerdictLine {
  t: number;
  state: State;
  cause: Cause | null;
  reasons: string[];
}

/** Number of detected problems of one kind, and their delays in seconds. */
export interface Detection {
  detected: number;
  of: number;
  p50: number | null;
  p95: number | null;
}
