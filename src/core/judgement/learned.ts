/**
 * Learned thresholds: how long a gap must be to be unusual for one agent in one kind of work.
 *
 *     clamp(max(prior, factor * own quantile), floor, ceiling)
 *
 * pooled over (tool class, command head), then the tool class, then the prior alone, until a pool has enough samples.
 * Each agent has its own pools, which its next session starts with. Gaps are counted in a fixed histogram whose buckets
 * grow by a factor of 2^(1/4), so that memory is bounded and the quantile is at most 19 % too high, never too low.
 */
import type { Habit, WorkClass } from "../signal.js";

export interface WorkKey {
  class: WorkClass;
  /** The first words of the command, such as `npm test`; undefined for tools without a command. */
  head?: string;
}

/** Why a gap is not a sample: it caused an alarm, or the machine slept during it. */
export interface GapTaint {
  alarmed?: boolean;
  asleep?: boolean;
}

export interface ThresholdBounds {
  priorMs: number;
  floorMs: number;
  ceilingMs: number;
  /** How many times longer than the own quantile an unusual gap is. */
  factor?: number;
}

export interface LearnedThreshold {
  ms: number;
  /** The pool that decided. */
  pool: "command" | "class" | "prior";
  samples: number;
}

interface Histogram {
  counts: number[];
  total: number;
}

interface Pool extends WorkKey, Histogram {}

export type LearnedState = Map<string, Pool>;

const POOLS_MAX = 256;
/** The most recently used pools that the next session starts with. */
const HABITS_MAX = 64;
const STEPS_PER_OCTAVE = 4;
const SMALLEST_MS = 8;
/** 24 octaves above 8 ms: 37 hours. */
const BUCKETS: number = 24 * STEPS_PER_OCTAVE;
/** All counts are halved at this total, so that new habits outweigh old ones within a thousand samples. */
const TOTAL_MAX = 2048;

export function createLearned(): LearnedState {
  return new Map();
}

export function learnGap(state: LearnedState, key: WorkKey, gapMs: number, taint?: GapTaint): void {
  if (taint?.alarmed || taint?.asleep || !Number.isFinite(gapMs) || gapMs < 0) return;
  for (const pool of poolsOf(key)) count(state, pool, bucketOf(gapMs), 1);
  for (const name of state.keys()) {
    if (state.size <= POOLS_MAX) break;
    state.delete(name);
  }
}

/** The habits that the agent's next session starts with. */
export function habitsOf(state: LearnedState): Habit[] {
  return [...state.values()].slice(-HABITS_MAX).map(({ class: kind, head, counts }) => ({
    class: kind,
    ...(head === undefined ? {} : { head }),
    gaps: counts.flatMap((times, bucket): [number, number][] => (times > 0 ? [[bucket, times]] : [])),
  }));
}

/** Takes over the habits of the agent's previous session. */
export function takeHabits(state: LearnedState, habits: readonly Habit[]): void {
  for (const { gaps, ...key } of habits) for (const [bucket, times] of gaps) count(state, key, bucket, times);
}

function count(state: LearnedState, key: WorkKey, bucket: number, times: number): void {
  const name = nameOf(key);
  const pool = state.get(name) ?? { ...key, counts: Array.from({ length: BUCKETS }, () => 0), total: 0 };
  pool.counts[bucket] = (pool.counts[bucket] ?? 0) + times;
  pool.total += times;
  if (pool.total > TOTAL_MAX) halve(pool);
  // Re-inserting makes it the newest; the least recently used pool is dropped.
  state.delete(name);
  state.set(name, pool);
}

/** A pool decides from this number of samples on; below it, the wider pool or the prior does. */
const SAMPLES_MIN = 20;
/** The quantile of the agent's own gaps, and how many times longer an unusual gap is. */
const QUANTILE = 0.95;
const FACTOR = 8;

export function learnedThreshold(state: LearnedState, key: WorkKey, bounds: ThresholdBounds): LearnedThreshold {
  const [ofClass, ofCommand] = poolsOf(key);
  for (const [pool, of] of [
    ["command", ofCommand],
    ["class", ofClass],
  ] as const) {
    const histogram = of && state.get(nameOf(of));
    if (histogram === undefined || histogram.total < SAMPLES_MIN) continue;
    const own = (bounds.factor ?? FACTOR) * quantile(histogram, QUANTILE);
    return { ms: clamp(Math.max(bounds.priorMs, own), bounds), pool, samples: histogram.total };
  }
  return { ms: clamp(bounds.priorMs, bounds), pool: "prior", samples: 0 };
}

/** The longest gap that is usual for the agent; null until it has enough samples. */
export function usualGap(state: LearnedState, key: WorkKey): number | null {
  const histogram = state.get(nameOf(key));
  return histogram === undefined || histogram.total < SAMPLES_MIN ? null : quantile(histogram, QUANTILE);
}

function poolsOf({ class: kind, head }: WorkKey): WorkKey[] {
  return head === undefined ? [{ class: kind }] : [{ class: kind }, { class: kind, head: head.slice(0, 80) }];
}

const nameOf = ({ class: kind, head }: WorkKey): string => (head === undefined ? kind : `${kind} ${head}`);

function bucketOf(ms: number): number {
  if (ms <= SMALLEST_MS) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(STEPS_PER_OCTAVE * Math.log2(ms / SMALLEST_MS) - 1e-9));
}

/** The upper edge of the bucket that holds the quantile. */
function quantile(histogram: Histogram, q: number): number {
  const wanted = Math.max(1, Math.ceil(q * histogram.total));
  let seen = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    seen += histogram.counts[bucket] ?? 0;
    if (seen >= wanted) return SMALLEST_MS * 2 ** (bucket / STEPS_PER_OCTAVE);
  }
  return SMALLEST_MS * 2 ** ((BUCKETS - 1) / STEPS_PER_OCTAVE);
}

function halve(histogram: Histogram): void {
  histogram.counts = histogram.counts.map((count) => Math.floor(count / 2));
  histogram.total = histogram.counts.reduce((sum, count) => sum + count, 0);
}

function clamp(ms: number, { floorMs, ceilingMs }: ThresholdBounds): number {
  return Math.min(ceilingMs, Math.max(floorMs, ms));
}
