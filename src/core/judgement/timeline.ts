/** The timeline of one session: one entry for each change of state or cause. */

import type { Cause, State } from "../states.js";
import { sanitize } from "../text/sanitize.js";
import type { Assessment } from "./assess.js";

export interface TimelineEntry {
  /** Seconds from the start of the recording. */
  t: number;
  state: State;
  cause: Cause | null;
  confidence: number;
  /** When a limit or a wait ends, ISO 8601 in UTC. */
  until: string | null;
  reasons: string[];
}

const COMPLETED_WITHIN_MS = 3000;
const SAME_TIME_MS = 3 * 60_000;

/**
 * The first source to see a prompt often does not know its text. A source that does, shortly after, completes what is
 * known since `from`.
 */
export const completesPrompt = (
  last: Pick<TimelineEntry, "state" | "cause">,
  from: number,
  { at, state, cause }: Pick<Assessment, "at" | "state" | "cause">,
): boolean =>
  last.state === "needs_input" && state === "needs_input" && last.cause === cause && at - from <= COMPLETED_WITHIN_MS;

/** Adds an entry if the state or cause changed, or if the end of a limit has become known. */
export function addEntry(timeline: TimelineEntry[], assessment: Assessment, startAt: number): void {
  const last = timeline.at(-1);
  const until =
    assessment.until === null || !isDate(assessment.until) ? null : new Date(assessment.until).toISOString();
  if (last && completesPrompt(last, startAt + Math.round(last.t * 1000), assessment)) {
    last.reasons = assessment.reasons.map((reason) => sanitize(reason));
    return;
  }
  const same = last !== undefined && last.state === assessment.state && last.cause === assessment.cause;
  if (same && !(assessment.state === "rate_limited" && isNewTime(assessment.until, last.until))) return;
  timeline.push({
    t: Math.round(Math.max(0, assessment.at - startAt)) / 1000,
    state: assessment.state,
    cause: assessment.cause,
    confidence: Math.round(assessment.confidence * 100) / 100,
    until,
    reasons: assessment.reasons.map((reason) => sanitize(reason)),
  });
}

/** A record may contain a time that `Date` cannot represent. */
const isDate = (ms: number): boolean => Math.abs(ms) <= 8.64e15;

/** Repeated readings of one countdown differ by seconds. That is not a new end time. */
function isNewTime(until: number | null, said: string | null): boolean {
  return until !== null && (said === null || Math.abs(Date.parse(said) - until) > SAME_TIME_MS);
}
