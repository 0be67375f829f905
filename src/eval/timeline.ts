import type { TimelineEntry } from "../core/judgement/timeline.js";
import type { State } from "../core/states.js";
import type { Detection, Timeline, VerdictLine } from "./types.js";

/** States that call for a user or an action; at the wrong time they are false alarms. */
export const ALARMS: ReadonlySet<State> = new Set<State>(["stuck", "error", "needs_input", "rate_limited", "gone"]);

const LOOP_CAUSES: ReadonlySet<string | null> = new Set(["loop", "repeated_error", "no_progress"]);

/** A verdict and the time in which it held. */
export interface HeldVerdict {
  from: number;
  to: number;
  entry: TimelineEntry;
}

/** The verdicts that held in [from, to): the current one at `from`, then each change before `to`. */
export function heldBetween(timeline: Timeline, from: number, to: number): HeldVerdict[] {
  const before = timeline.findLast((entry) => entry.t <= from);
  const changes = timeline.filter((entry) => from < entry.t && entry.t < to);
  const entries = before ? [before, ...changes] : changes;
  return entries.map((entry, index) => ({
    from: Math.max(from, entry.t),
    to: entries[index + 1]?.t ?? to,
    entry,
  }));
}

export function isLoop(entry: TimelineEntry): boolean {
  return entry.state === "stuck" && LOOP_CAUSES.has(entry.cause);
}

export function verdictLine({ from, entry }: HeldVerdict): VerdictLine {
  return { t: from, state: entry.state, cause: entry.cause, reasons: entry.reasons };
}

/** From the delays of detected cases and the number of missed ones. */
export function detectionOf(delays: readonly number[], missed: number): Detection {
  return {
    detected: delays.length,
    of: delays.length + missed,
    p50: percentile(delays, 0.5),
    p95: percentile(delays, 0.95),
  };
}

/** The value at the rank below, without interpolation: there are few values, and each was measured. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}
