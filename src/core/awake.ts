/**
 * Awake time: wall-clock time without the spans in which the machine slept or rouse did not observe. Every detector
 * measures ages this way, because a suspended laptop must never make an agent seem stuck.
 */
import type { Signal } from "./signal.js";

/** Ordered, disjoint spans without observation. */
export type SleepSpans = { from: number; to: number }[];

const SPANS_MAX = 16;

/** Records a `gap` signal; ignores all others. */
export function takeAsleep(asleep: SleepSpans, signal: Signal): void {
  if (signal.kind !== "gap" || !(signal.to > signal.from)) return;
  let { from } = signal;
  let to = signal.to + Math.max(0, signal.graceMs ?? 0);
  const kept = asleep.filter((span) => {
    if (span.to < from || span.from > to) return true;
    from = Math.min(from, span.from);
    to = Math.max(to, span.to);
    return false;
  });
  const place = kept.findIndex((span) => span.from > to);
  kept.splice(place < 0 ? kept.length : place, 0, { from, to });
  // Joining the two oldest spans overstates the sleep, which can only make an age shorter.
  const [first, second] = kept;
  if (kept.length > SPANS_MAX && first && second) kept.splice(0, 2, { from: first.from, to: second.to });
  asleep.splice(0, asleep.length, ...kept);
}

/** Milliseconds awake between two moments; never negative. */
export function awakeMs(asleep: SleepSpans, from: number, to: number): number {
  let ms = to - from;
  for (const span of asleep) ms -= Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));
  return ms > 0 ? ms : 0;
}
