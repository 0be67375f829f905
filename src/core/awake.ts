/**
 * Awake time: wall-clock time without the spans in which the machine slept, rouse did not observe, or the agent got no
 * CPU. Every detector measures ages this way, because neither a suspended laptop nor an overloaded machine must make an
 * agent seem stuck.
 */
import type { Signal } from "./signal.js";

interface SleepSpan {
  from: number;
  to: number;
  /** How much of it does not count; all of it if missing. */
  lostMs?: number;
}

/** Ordered, disjoint spans. */
export type SleepSpans = SleepSpan[];

const SPANS_MAX = 16;

/** Records a `gap` signal; ignores all others. */
export function takeAsleep(asleep: SleepSpans, signal: Signal): void {
  if (signal.kind !== "gap" || !(signal.to > signal.from)) return;
  let { from } = signal;
  let to = signal.to + Math.max(0, signal.graceMs ?? 0);
  let lost = signal.lostMs ?? to - from;
  const kept = asleep.filter((span) => {
    if (span.to < from || span.from > to) return true;
    from = Math.min(from, span.from);
    to = Math.max(to, span.to);
    lost += lossOf(span);
    return false;
  });
  const place = kept.findIndex((span) => span.from > to);
  kept.splice(place < 0 ? kept.length : place, 0, spanOf(from, to, lost));
  const [first, second] = kept;
  if (kept.length > SPANS_MAX && first && second) kept.splice(0, 2, joined(first, second));
  asleep.splice(0, asleep.length, ...kept);
}

/** Joining two sleeps overstates the sleep, which can only make an age shorter. */
function joined(first: SleepSpan, second: SleepSpan): SleepSpan {
  const { from } = first;
  const { to } = second;
  return spanOf(from, to, isStarved(first) || isStarved(second) ? lossOf(first) + lossOf(second) : to - from);
}

const spanOf = (from: number, to: number, lostMs: number): SleepSpan =>
  lostMs < to - from ? { from, to, lostMs } : { from, to };

const lossOf = ({ from, to, lostMs }: SleepSpan): number => lostMs ?? to - from;

/** Only a part of it is lost: the agent was observed, and waited for a CPU. */
const isStarved = ({ lostMs }: SleepSpan): boolean => lostMs !== undefined;

/** Milliseconds awake between two moments; never negative. */
export function awakeMs(asleep: SleepSpans, from: number, to: number): number {
  let ms = to - from;
  for (const span of asleep) ms -= lostWithin(span, from, to);
  return ms > 0 ? Math.round(ms) : 0;
}

/** Milliseconds between two moments in which the agent waited for a CPU. */
export function starvedMs(asleep: SleepSpans, from: number, to: number): number {
  return Math.round(asleep.filter(isStarved).reduce((ms, span) => ms + lostWithin(span, from, to), 0));
}

/** The loss is spread evenly over its span. */
function lostWithin(span: SleepSpan, from: number, to: number): number {
  const overlap = Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));
  return overlap * (lossOf(span) / (span.to - span.from));
}
