import type { TimelineEntry } from "../core/judgement/timeline.js";
import type { Cause, State } from "../core/states.js";

/** In order of time. */
export type Timeline = readonly TimelineEntry[];

/** What was said, when and why: the line that `rouse eval --worst` shows. */
export interface VerdictLine {
  t: number;
  state: State;
  cause: Cause | null;
  reasons: string[];
}

/** How many of the problems of one kind were found, and how many seconds after they began. */
export interface Detection {
  detected: number;
  of: number;
  p50: number | null;
  p95: number | null;
}
