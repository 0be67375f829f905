/**
 * Spinning on one file: repeated reads or edits without any change. A visit counts if it repeats an earlier call or is
 * an edit: paging through a long file makes a new call each time and is work. A read with a new result (a growing log)
 * and any change of the world clear the count, because following a log and rereading a plan between edits are work too.
 * Low confidence, as in the proposal.
 */

import type { Signal, Source, ToolEndSignal } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { MINUTE } from "../../text/time.js";
import { rememberBounded } from "./bounded.js";
import type { DetectorVerdict } from "./verdict.js";
import { CONFIDENCE } from "./verdict.js";
import type { WorldState } from "./world.js";
import { createWorld, takeWorld } from "./world.js";

interface Visits {
  source: Source;
  /** Newest last. */
  times: number[];
  calls: Map<string, true>;
  /** Results of its reads. */
  outcomes: Map<string, true>;
}

export interface SpinState {
  bySubject: Map<string, Visits>;
  /** Running reads: call id to subject. */
  reads: Map<string, string>;
  world: WorldState;
}

export interface SpinVerdict extends DetectorVerdict {
  cause: "no_progress";
  subject: string;
  count: number;
}

const SUBJECTS_MAX = 32;
const CALLS_MAX = 16;
const OUTCOMES_MAX = 16;
const READS_MAX = 32;
const TIMES_MAX = 32;
const SUBJECT_MAX = 300;

export function createSpin(): SpinState {
  return { bySubject: new Map(), reads: new Map(), world: createWorld() };
}

export function takeSpin(state: SpinState, signal: Signal): void {
  if (takeWorld(state.world, signal) || (signal.kind === "turn" && signal.byUser)) {
    state.bySubject.clear();
    return;
  }
  if ((signal.kind === "tool_start" || signal.kind === "tool_end") && signal.edgeOnly) return;
  if (signal.kind === "tool_end") takeOutcome(state, signal);
  if (signal.kind !== "tool_start" || signal.subject === undefined) return;
  if (signal.class !== "instant" && signal.class !== "edit") return;
  const subject = signal.subject.slice(0, SUBJECT_MAX);
  const visits: Visits = state.bySubject.get(subject) ?? {
    source: signal.source,
    times: [],
    calls: new Map(),
    outcomes: new Map(),
  };
  const known = visits.calls.size === 0 || signal.class === "edit" || visits.calls.has(signal.call);
  rememberBounded(visits.calls, signal.call, true, CALLS_MAX);
  rememberBounded(state.bySubject, subject, visits, SUBJECTS_MAX);
  if (signal.class === "instant") rememberBounded(state.reads, signal.id, subject, READS_MAX);
  if (!known) return;
  visits.times.push(signal.at);
  if (visits.times.length > TIMES_MAX) visits.times.shift();
}

/** This many visits to one file within the window, without any new state, are suspicious. */
const SPIN_REPEATS = 8;
export const SPIN_WINDOW_MS: number = 10 * MINUTE;

export function spinVerdict(state: SpinState, now: number): SpinVerdict | null {
  let worst: SpinVerdict | null = null;
  for (const [subject, { times, source }] of state.bySubject) {
    const within = times.filter((at) => now - at <= SPIN_WINDOW_MS);
    const first = within[0];
    if (first === undefined || within.length < SPIN_REPEATS) continue;
    if (within.length <= (worst?.count ?? 0)) continue;
    worst = {
      cause: "no_progress",
      since: first,
      subject,
      count: within.length,
      confidence: CONFIDENCE.low,
      reason: `${subject} was read or edited ${within.length} times in ${formatDuration(now - first)} (${source}) without any change`,
    };
  }
  return worst;
}

function takeOutcome(state: SpinState, signal: ToolEndSignal): void {
  const visits = state.bySubject.get(state.reads.get(signal.id) ?? "");
  state.reads.delete(signal.id);
  if (visits === undefined || !signal.ok) return;
  const found = visits.outcomes.size > 0 && !visits.outcomes.has(signal.outcome);
  rememberBounded(visits.outcomes, signal.outcome, true, OUTCOMES_MAX);
  if (found) visits.times = [];
}
