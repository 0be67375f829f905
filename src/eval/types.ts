import type { Cause, State } from "../core/states.js";

/** One change of state or cause, as `rouse replay --json` prints it: `t` in seconds from the start of the recording. */
export interface TimelineEntry {
  t: number;
  state: State;
  cause: Cause | null;
  confidence: number;
  /** When a limit ends, ISO 8601 in UTC. */
  until: string | null;
  reasons: string[];
}

/** In order of time. */
export type Timeline = readonly TimelineEntry[];

/** What was said, when and why: the line that `rouse eval --worst` shows. */
export interface Said {
  t: number;
  state: State;
  cause: Cause | null;
  reasons: string[];
}

/** How many of the troubles of one kind were found, and how many seconds after they began. */
export interface Detection {
  detected: number;
  of: number;
  p50: number | null;
  p95: number | null;
}
