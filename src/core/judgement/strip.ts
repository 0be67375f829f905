/**
 * The last 24 hours of a session in slots of 15 minutes: how long it was in each state. Unlike the timeline, its size does
 * not depend on how often the state changes. Unobserved time is in no state.
 */
import { awakeMs, type SleepSpans } from "../awake.js";
import type { State } from "../states.js";
import { MINUTE } from "../text/time.js";

export interface StripSlot {
  /** Number of the slot since 1970. */
  slot: number;
  ms: Partial<Record<State, number>>;
}

/** Oldest slot first; slots without observed time are missing. */
export type Strip = StripSlot[];

export const SLOT_MS: number = 15 * MINUTE;
export const SLOTS_MAX = 96;

/** A problem shorter than this does not decide the state of a slot. */
const SHOWN_MS: number = MINUTE;
/** A problem in a slot counts more than the time around it; the gravest first. */
const PROBLEMS: readonly State[] = ["gone", "error", "stuck", "needs_input", "rate_limited"];

/** Adds the time between two assessments, in the state of the first. */
export function addTime(strip: Strip, state: State, from: number, to: number, asleep: SleepSpans): void {
  const last = Math.floor(to / SLOT_MS);
  const first = Math.max(Math.floor(from / SLOT_MS), last - SLOTS_MAX + 1);
  for (let slot = first; slot <= last; slot++) {
    const begin = Math.max(from, slot * SLOT_MS);
    const end = Math.min(to, (slot + 1) * SLOT_MS);
    const ms = asleep.length === 0 ? end - begin : awakeMs(asleep, begin, end);
    if (ms > 0) addToSlot(strip, slot, state, ms);
  }
}

function addToSlot(strip: Strip, slot: number, state: State, ms: number): void {
  let newest = strip.at(-1);
  // Assessments are in order, so only the newest slot grows.
  if (newest === undefined || newest.slot < slot) {
    newest = { slot, ms: {} };
    strip.push(newest);
    while ((strip[0]?.slot ?? slot) <= slot - SLOTS_MAX) strip.shift();
  }
  newest.ms[state] = (newest.ms[state] ?? 0) + ms;
}

/**
 * One state per piece of `slotsPerPiece` slots, up to the slot of `now`; null where nothing was observed. The strips are
 * of all sessions of one agent.
 */
export function stripStates(strips: readonly Strip[], now: number, slotsPerPiece: number): (State | null)[] {
  const last = Math.floor(now / SLOT_MS);
  const sums = Array.from({ length: SLOTS_MAX / slotsPerPiece }, (): StripSlot["ms"] => ({}));
  for (const { slot, ms } of strips.flat()) {
    const sum = sums[Math.floor((slot - last + SLOTS_MAX - 1) / slotsPerPiece)];
    if (sum === undefined) continue;
    for (const [state, more] of Object.entries(ms) as [State, number][]) sum[state] = (sum[state] ?? 0) + more;
  }
  return sums.map(mainState);
}

function mainState(ms: StripSlot["ms"]): State | null {
  const problem = PROBLEMS.find((state) => (ms[state] ?? 0) >= SHOWN_MS);
  if (problem !== undefined) return problem;
  const [longest] = (Object.entries(ms) as [State, number][]).sort((a, b) => b[1] - a[1]);
  return longest?.[0] ?? null;
}
