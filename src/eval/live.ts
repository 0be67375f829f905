/**
 * Scores timelines of recorded terminal and headless sessions against the true states.
 *
 * The truth divides a recording into segments. A *problem* segment is detected if a right state is reported before it
 * ends; from its first hit on, a right state must hold for nine tenths of the rest, or it was a blip (*not held*). In a
 * *quiet* segment nothing alarming may be reported. In both, a wrong alarm is a *false alarm* and a wrong `complete` a
 * *false completion*, with grace at the edges, where truth and screen cannot agree to the instant; a missed problem
 * counts only as missed. Segments of any other name (exited, orphaned) are not scored.
 */

import type { TimelineEntry } from "../core/judgement/timeline.js";
import type { Cause } from "../core/states.js";
import { programFor } from "../programs/registry.js";
import { CAUSE, PROBLEM, QUIET } from "./live-labels.js";
import { ALARMS, detectionOf, type HeldVerdict, heldBetween, isLoop, verdictLine } from "./timeline.js";
import type { Detection, Timeline, VerdictLine } from "./types.js";

export interface LiveTruth {
  agent: string;
  /** The true state of the session from each second on. */
  timeline: readonly (readonly [number, string])[];
  /** The last second of the recording. */
  end: number;
}

export interface LiveCase {
  name: string;
  truth: LiveTruth;
  /** null if the recording could not be replayed: every problem in it is then missed. */
  timeline: Timeline | null;
}

export interface MissedProblem {
  case: string;
  truth: string;
  from: number;
  to: number;
  /** The last verdicts that held instead. */
  instead: VerdictLine[];
}

export interface WrongVerdictLine extends VerdictLine {
  case: string;
  truth: string;
}

export interface UnheldProblem {
  case: string;
  truth: string;
  share: number;
  instead: VerdictLine[];
}

/** Found, but later than the bar of its kind. */
export interface LateVerdict {
  case: string;
  truth: string;
  from: number;
  delay: number;
  /** Allowed time. */
  within: number;
  /** The verdicts until then, and the one at that time. */
  instead: VerdictLine[];
}

export interface WrongCause {
  case: string;
  truth: string;
  causes: (Cause | null)[];
}

export interface LiveFigures {
  cases: number;
  replayed: number;
  /** By true state, in alphabetical order. */
  states: Record<string, Detection>;
  /** All problems that a single check can show: without hangs, loops and an unreachable server. */
  pooled: Detection;
  /** All problems, without hung tools: those differ from long ones only by their command. */
  total: Detection;
  misses: MissedProblem[];
  /** The latest first. */
  late: LateVerdict[];
  notHeld: UnheldProblem[];
  wrongCause: WrongCause[];
  falseAlarms: WrongVerdictLine[];
  falseCompletions: WrongVerdictLine[];
  quietSeconds: number;
}

const NOT_POOLED: ReadonlySet<string> = new Set(["hung", "tool_hung", "looping", "unreachable"]);
/** A problem shorter than this many seconds cannot be distinguished from healthy behaviour. */
const SHORTEST = new Map([
  ["hung", 125],
  ["tool_hung", 125],
  ["done", 1],
  ["waiting_input", 1],
]);
/** Seconds after its start within which a problem must be reported: the bar of its p95. Loops have none. */
export const IN_TIME_S: Readonly<Record<"unreachable" | "hung" | "other", number>> = {
  unreachable: 60,
  hung: 120,
  other: 5,
};
const GRACE_AFTER_START = 3;
const GRACE_BEFORE_END = 0.5;
/** The last problem of a recording may still be noticed for a while after the program has ended. */
const GRACE_AFTER_END = 5;
/** A loop's truth starts at the fourth equal call; from the third equal outcome on it is no error to report it. */
const GRACE_BEFORE_LOOP = 10;
const HOLD_SHARE = 0.9;

interface Segment {
  case: string;
  truth: string;
  from: number;
  to: number;
  next: string | null;
  timeline: Timeline;
}

interface Tally
  extends Pick<LiveFigures, "misses" | "late" | "notHeld" | "wrongCause" | "falseAlarms" | "falseCompletions"> {
  delays: Map<string, number[]>;
  quietSeconds: number;
}

export function scoreLive(cases: readonly LiveCase[]): LiveFigures {
  const scored = cases.filter(isScored);
  const tally: Tally = {
    delays: new Map(),
    misses: [],
    late: [],
    notHeld: [],
    wrongCause: [],
    falseAlarms: [],
    falseCompletions: [],
    quietSeconds: 0,
  };
  for (const segment of scored.flatMap(segmentsOf)) {
    if (PROBLEM.has(segment.truth)) scoreProblem(segment, tally);
    else scoreQuiet(segment, tally);
  }
  const { delays, ...counted } = tally;
  counted.late.sort((a, b) => b.delay - a.delay);
  const names = [...new Set([...delays.keys(), ...tally.misses.map((miss) => miss.truth)])].sort();
  const over = (wanted: readonly string[]) =>
    detectionOf(
      wanted.flatMap((name) => delays.get(name) ?? []),
      tally.misses.filter((miss) => wanted.includes(miss.truth)).length,
    );
  return {
    cases: scored.length,
    replayed: cases.filter((one) => one.timeline !== null).length,
    states: Object.fromEntries(names.map((name) => [name, over([name])])),
    pooled: over(names.filter((name) => !NOT_POOLED.has(name))),
    total: over(names.filter((name) => name !== "tool_hung")),
    ...counted,
  };
}

/** A program that shows two states alike cannot be scored on them. */
function isScored({ truth }: LiveCase): boolean {
  const { ambiguousLabels } = programFor(truth.agent);
  const ambiguous = truth.timeline.some(([, state]) => ambiguousLabels.includes(state));
  return truth.timeline.length > 0 && !ambiguous;
}

function segmentsOf({ name, truth, timeline }: LiveCase): Segment[] {
  return truth.timeline.map(([from, state], index) => {
    const next = truth.timeline[index + 1];
    const to = next ? next[0] : Math.max(truth.end, from + 5);
    return { case: name, truth: state, from, to, next: next ? next[1] : null, timeline: timeline ?? [] };
  });
}

function scoreProblem(segment: Segment, tally: Tally): void {
  const { case: name, truth, from, to, next, timeline } = segment;
  if (to - from < (SHORTEST.get(truth) ?? 0)) return;
  const isLast = next === null || next === "exited";
  const held = heldBetween(timeline, from, to);
  const window = heldBetween(timeline, Math.max(0, from - GRACE_BEFORE_END), to + (isLast ? GRACE_AFTER_END : 0));
  const firstHit = window.find(({ entry }) => isRight(truth, entry));
  if (!firstHit) {
    tally.misses.push({ case: name, truth, from, to, instead: held.slice(-3).map(verdictLine) });
    return;
  }
  const hit = Math.max(from, firstHit.from);
  tally.delays.set(truth, [...(tally.delays.get(truth) ?? []), hit - from]);
  const within = inTime(truth);
  if (hit - from > within) {
    const instead = held
      .filter((one) => one.from <= hit)
      .slice(-3)
      .map(verdictLine);
    tally.late.push({ case: name, truth, from, delay: hit - from, within, instead });
  }

  const right = held.filter(({ entry }) => isRight(truth, entry));
  const wrong = held.filter(({ entry }) => !isRight(truth, entry));
  const rest = to - hit;
  const good = right.filter((one) => one.to > hit).reduce((sum, one) => sum + one.to - Math.max(one.from, hit), 0);
  if (rest > GRACE_AFTER_START && good < HOLD_SHARE * rest) {
    const instead = wrong.filter((one) => one.to > hit).map(verdictLine);
    tally.notHeld.push({ case: name, truth, share: good / rest, instead });
  }
  const cause = CAUSE.get(truth);
  const causes = right.map(({ entry }) => entry.cause);
  if (cause && causes.length > 0 && !causes.includes(cause)) tally.wrongCause.push({ case: name, truth, causes });

  for (const one of wrong) {
    if (one.to <= from + GRACE_AFTER_START) continue;
    if (one.entry.state === "complete") tally.falseCompletions.push({ case: name, truth, ...verdictLine(one) });
    else if (ALARMS.has(one.entry.state) && !(one.entry.state === "gone" && isLast))
      tally.falseAlarms.push({ case: name, truth, ...verdictLine(one) });
  }
}

function inTime(truth: string): number {
  if (truth === "unreachable" || truth === "hung") return IN_TIME_S[truth];
  return NOT_POOLED.has(truth) ? Number.POSITIVE_INFINITY : IN_TIME_S.other;
}

function scoreQuiet(segment: Segment, tally: Tally): void {
  const { case: name, truth, from, to, timeline } = segment;
  const allowed = QUIET.get(truth);
  if (!allowed) return;
  tally.quietSeconds += Math.max(0, to - from);
  for (const one of heldBetween(timeline, from, to)) {
    const { state } = one.entry;
    if (allowed.has(state) || one.to <= from + GRACE_AFTER_START || isEarly(segment, one)) continue;
    if (ALARMS.has(state)) tally.falseAlarms.push({ case: name, truth, ...verdictLine(one) });
    else if (state === "complete") tally.falseCompletions.push({ case: name, truth, ...verdictLine(one) });
  }
}

/** A report of the next problem, a moment before its true start. */
function isEarly({ to, next }: Segment, { from, entry }: HeldVerdict): boolean {
  if (next === null || !PROBLEM.has(next) || !isRight(next, entry)) return false;
  return from >= to - (next === "looping" ? GRACE_BEFORE_LOOP : GRACE_BEFORE_END);
}

function isRight(truth: string, entry: TimelineEntry): boolean {
  if (truth === "done" && entry.cause === "stopped_early") return true;
  if (truth === "looping") return isLoop(entry);
  return PROBLEM.get(truth)?.has(entry.state) ?? false;
}
