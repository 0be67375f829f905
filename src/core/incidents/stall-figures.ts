/**
 * Four figures about stalls: how many were detected, how many rouse recovered, how many agents were flagged falsely, and how long a
 * recovery took. Pure.
 *
 * A stall is a confirmed incident that rouse may act on: the agent is stuck, failed or gone. Whether it was one is known from the
 * user's feedback; else from what followed. An agent that went on by itself is `unrated`: it may have been a stall that passed.
 */
import { ACTIONS, type ActionRecord, usesBudget } from "../action.js";
import { PROBLEM_TABLE } from "../policy/problems.js";
import type { State } from "../states.js";
import { MINUTE } from "../text/time.js";
import type { Incident, IncidentState, MissedStall } from "./incident.js";
import type { Problem } from "./problem.js";

export const FIGURE_NAMES = ["detection", "recovery", "false_positives", "time_to_recovery"] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** The targets of the checkpoint design. Rates as shares, times in minutes. */
export const FIGURE_TARGETS: Readonly<Record<FigureName, { atLeast: number } | { below: number }>> = {
  detection: { atLeast: 0.9 },
  recovery: { atLeast: 0.7 },
  false_positives: { below: 0.05 },
  time_to_recovery: { below: 25 },
};

/** With fewer, a figure says nothing: one more or less would change the answer. */
export const STALLS_MIN = 5;
export const SESSIONS_MIN = 20;

export interface Figure {
  /** A share, or minutes; null: not enough data. */
  value: number | null;
  /** With incidents that nobody rated: the value if all of them were false alarms; else the same as `value`. */
  high: number | null;
  count: number;
  /** Stalls, runs of agents, or recoveries that it is based on. */
  of: number;
  /** Null: not enough data, or it depends on incidents that are not rated. */
  met: boolean | null;
}

export interface Figures extends Record<FigureName, Figure> {
  stalls: number;
  missed: number;
  falseAlarms: number;
  unrated: number;
}

export interface StallFigures {
  overall: Figures;
  byCause: ReadonlyMap<string, Figures>;
  byAgent: ReadonlyMap<string, Figures>;
  byWeek: ReadonlyMap<string, Figures>;
}

/** One run of an agent. */
export interface AgentRun {
  agent: string;
  session: string;
  startedAt: number;
}

export interface StallInput {
  state: Pick<IncidentState, "incidents" | "actions" | "missed">;
  /** Claims whose lease lapsed: a stall, whether or not it was reported. */
  lapsed: readonly LapsedClaim[];
  /** Runs that are still in the journal. */
  runs: readonly AgentRun[];
  since: number;
  /** The name of the week of a time. */
  weekOf: (at: number) => string;
}

export interface LapsedClaim {
  agent: string;
  session: string;
  claimedAt: number;
  endedAt: number;
}

interface Stall {
  agent: string;
  session: string;
  cause: Problem;
  at: number;
  verdict: "real" | "false" | "unrated";
  /** Null: rouse did not act, or the result is not known yet. */
  recovered: boolean | null;
  recoveryMs: number | null;
}

const UNKNOWN_CAUSE = "unknown cause";

const STALL_STATES: ReadonlySet<State | null> = new Set<State | null>(["stuck", "error", "gone"]);
export const isStall = (problem: Problem): boolean => {
  const { state, humanOnly } = PROBLEM_TABLE[problem];
  return !humanOnly && STALL_STATES.has(state);
};

export function stallFigures({ state, lapsed, runs, since, weekOf }: StallInput): StallFigures {
  const stalls = state.incidents
    .filter(({ problem, confirmedAt, openedAt }) => confirmedAt !== null && openedAt >= since && isStall(problem))
    .map((incident) => stallOf(incident, state.actions));
  const missed = [
    ...state.missed.filter(({ at }) => at >= since),
    ...lapsed.filter((claim) => claim.endedAt >= since && !wasReported(claim, state.incidents)).map(missedClaim),
  ];
  const recent = runs.filter(({ startedAt }) => startedAt >= since);
  const all: Facts = { stalls, missed, runs: recent };
  const grouped = (names: Iterable<string>, of: (name: string) => Facts): Map<string, Figures> =>
    new Map([...new Set(names)].sort().map((name) => [name, figuresOf(of(name))]));
  const causeOf = (one: MissedStall): string => one.problem ?? UNKNOWN_CAUSE;
  return {
    overall: figuresOf(all),
    byCause: grouped([...stalls.map(({ cause }) => cause), ...missed.map(causeOf)], (cause) => ({
      stalls: stalls.filter((one) => one.cause === cause),
      missed: missed.filter((one) => causeOf(one) === cause),
      runs: recent,
    })),
    byAgent: grouped(
      [...stalls, ...missed, ...recent].map(({ agent }) => agent),
      (agent) => ({
        stalls: stalls.filter((one) => one.agent === agent),
        missed: missed.filter((one) => one.agent === agent),
        runs: recent.filter((one) => one.agent === agent),
      }),
    ),
    byWeek: grouped(
      [...stalls, ...missed].map(({ at }) => weekOf(at)).concat(recent.map((run) => weekOf(run.startedAt))),
      (week) => ({
        stalls: stalls.filter(({ at }) => weekOf(at) === week),
        missed: missed.filter(({ at }) => weekOf(at) === week),
        runs: recent.filter(({ startedAt }) => weekOf(startedAt) === week),
      }),
    ),
  };
}

const missedClaim = ({ agent, endedAt }: LapsedClaim): MissedStall => ({ agent, at: endedAt, problem: "stale_claim" });

/** A confirmed incident of its agent while it held the task. */
const wasReported = ({ agent, session, claimedAt, endedAt }: LapsedClaim, incidents: readonly Incident[]): boolean =>
  incidents.some(
    (one) =>
      (one.session === session || one.agent === agent) &&
      one.confirmedAt !== null &&
      one.openedAt <= endedAt &&
      (one.endedAt ?? endedAt) >= claimedAt,
  );

function stallOf(incident: Incident, actions: readonly ActionRecord[]): Stall {
  const { id, agent, session, problem, openedAt, phase, endedAt, escalated, feedback } = incident;
  const taken = actions.filter((one) => one.incident === id && ACTIONS[one.do].controls && usesBudget(one));
  const last = taken.findLast(({ at }) => at <= (endedAt ?? Number.POSITIVE_INFINITY));
  const isRecovered = phase === "recovered";
  const isFailed = escalated !== null;
  const recovered = last === undefined || (!isRecovered && !isFailed) ? null : !isFailed;
  const passed = isRecovered && last === undefined ? "unrated" : "real";
  const verdict = feedback === "false-alarm" ? "false" : feedback === "right" ? "real" : passed;
  return {
    agent,
    session,
    cause: problem,
    at: openedAt,
    verdict,
    recovered: verdict === "real" ? recovered : null,
    recoveryMs:
      verdict === "real" && recovered && last ? Math.max(0, last.at - (incident.stalledAt ?? openedAt)) : null,
  };
}

interface Facts {
  stalls: readonly Stall[];
  missed: readonly MissedStall[];
  runs: readonly AgentRun[];
}

function figuresOf({ stalls, missed, runs }: Facts): Figures {
  const of = (verdict: Stall["verdict"]): Stall[] => stalls.filter((one) => one.verdict === verdict);
  const [real, falseAlarms, unrated] = [of("real"), of("false"), of("unrated")];
  const decided = real.filter(({ recovered }) => recovered !== null);
  const times = real.flatMap(({ recoveryMs }) => recoveryMs ?? []);
  const sessions = (list: readonly Stall[]): Set<string> => new Set(list.map(({ session }) => session));
  const [stalled, flagged, doubtful] = [sessions(real), sessions(falseAlarms), sessions(unrated)];
  const healthy = runs.filter(({ session }) => !stalled.has(session));
  const falsely = healthy.filter(({ session }) => flagged.has(session)).length;
  const perhaps = healthy.filter(({ session }) => !flagged.has(session) && doubtful.has(session)).length;
  // One that passed by itself was detected too, if it was one.
  const detected = real.length + unrated.length;
  return {
    stalls: detected,
    missed: missed.length,
    falseAlarms: falseAlarms.length,
    unrated: unrated.length,
    detection: rate("detection", detected, detected + missed.length, STALLS_MIN),
    recovery: rate("recovery", decided.filter(({ recovered }) => recovered).length, decided.length, STALLS_MIN),
    false_positives: rate("false_positives", falsely, healthy.length, SESSIONS_MIN, perhaps),
    time_to_recovery: figure("time_to_recovery", {
      value: mean(times) / MINUTE,
      count: times.length,
      of: times.length,
      min: STALLS_MIN,
    }),
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

const rate = (name: FigureName, count: number, of: number, min: number, perhaps = 0): Figure =>
  figure(name, { value: count / of, high: (count + perhaps) / of, count, of, min });

interface Measured {
  value: number;
  high?: number;
  count: number;
  of: number;
  min: number;
}

function figure(name: FigureName, { value, high = value, count, of, min }: Measured): Figure {
  if (of < min) return { value: null, high: null, count, of, met: null };
  const target = FIGURE_TARGETS[name];
  const meets = (one: number): boolean => ("atLeast" in target ? one >= target.atLeast : one < target.below);
  return { value, high, count, of, met: meets(value) === meets(high) ? meets(value) : null };
}
