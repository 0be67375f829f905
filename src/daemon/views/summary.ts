/**
 * What happened since a moment: the stored signals of each session, judged again by the current rules. The fold can be
 * interrupted after every few hundred signals, so that a long period does not block the daemon.
 */
import type { AgentSession } from "../../core/agent.js";
import { completesPrompt } from "../../core/judgement/timeline.js";
import { compareByMove, type Move, moveOf } from "../../core/move.js";
import { PROBLEM_TABLE } from "../../core/policy/problems.js";
import { type JudgingOptions, SessionJudge } from "../../core/session-judge.js";
import type { Signal, TokensSignal } from "../../core/signal.js";
import { SOURCES } from "../../core/signal.js";
import type { Cause, State } from "../../core/states.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { StoredSignal } from "../../store/journal-reader.js";

export interface ProblemSummary {
  state: State;
  cause: Cause | null;
  from: string;
  /** Null while it lasts. */
  to: string | null;
  duration_secs: number;
  /** It started before the summary. */
  began_before: boolean;
  /** The state that followed; null while it lasts. */
  followed_by: State | null;
  reason: string;
}

export interface AgentSummary {
  name: string;
  session: string;
  kind: string;
  origin: AgentSession["origin"];
  task: string | null;
  from: string;
  to: string;
  state: State;
  cause: Cause | null;
  /** Who has to act next. */
  move: Move;
  ended: { at: string; code: number | null; signal: number | null } | null;
  /** Seconds in each state. */
  states: Partial<Record<State, number>>;
  /** Unobserved seconds; they are also part of the states. */
  unobserved_secs: number;
  problems: ProblemSummary[];
  problems_omitted: number;
  commits: number;
  files: number;
  tests: { passed: number; failed: number };
  tokens: { input: number; output: number; cost_usd: number };
}

export interface Summary {
  since: string;
  until: string;
  agents: AgentSummary[];
}

const PROBLEMS: ReadonlySet<State | null> = new Set(Object.values(PROBLEM_TABLE).map(({ state }) => state));
const PROBLEMS_MAX = 200;
const NAMES_MAX = 20_000;
/** Shortest interval between two judgements without new signals. */
const RECHECK_MS = 1000;
/** An unknown state shorter than this is left out, as before the first signal. */
const UNKNOWN_MS = 10_000;
const STEP = 64;

/** Sessions that ran at any time since then, by what has to act next. */
export function* summaryOf(
  sessions: readonly AgentSession[],
  storedSignals: (session: string) => Iterable<Pick<StoredSignal, "signal">>,
  since: number,
  now: number,
  settingsFor: (session: AgentSession) => JudgingOptions = () => ({}),
  needsUser: (session: AgentSession) => boolean = () => false,
): Generator<void, Summary> {
  const agents: AgentSummary[] = [];
  for (const session of sessions) {
    if (session.startedAt > now || (session.endedAt !== null && session.endedAt < since)) continue;
    const fold = new SessionFold(session, since, now, settingsFor(session));
    let taken = 0;
    for (const { signal } of storedSignals(session.id)) {
      fold.take(signal);
      if (++taken % STEP === 0) yield;
    }
    const summary = fold.finish();
    agents.push(needsUser(session) ? { ...summary, move: "you" } : summary);
    yield;
  }
  agents.sort((a, b) => compareByMove({ ...a, since: a.from }, { ...b, since: b.from }) || (a.from < b.from ? -1 : 1));
  return { since: iso(since), until: iso(now), agents };
}

export interface Stretch {
  state: State;
  cause: Cause | null;
  from: number;
  reason: string;
}

/** Judges the stored signals of one session again, in order. */
export class SessionFold {
  readonly #session: AgentSession;
  readonly #judges: SessionJudge;
  readonly #from: number;
  readonly #to: number;
  readonly #counts = new Counts();
  readonly #problems: ProblemSummary[] = [];
  readonly #states: Partial<Record<State, number>> = {};
  #left = 0;
  #now: number;
  #stretch: Stretch | null = null;
  #exit: AgentSummary["ended"] = null;
  readonly #onStretch: OnStretch;

  /** `onStretch` is called with each time span in one state and cause; `next` is null for the last. */
  constructor(
    session: AgentSession,
    since: number,
    now: number,
    settings: JudgingOptions,
    onStretch: OnStretch = () => {},
  ) {
    this.#session = session;
    this.#onStretch = onStretch;
    this.#from = Math.max(since, session.startedAt);
    this.#to = Math.max(this.#from, Math.min(session.endedAt ?? now, now));
    this.#now = session.startedAt;
    this.#judges = new SessionJudge(session, session.startedAt, settings);
    if (this.#now >= this.#from) this.#assess(this.#from);
  }

  take(signal: Signal): void {
    // Late signals count from their arrival, as they did for the daemon.
    const at = Math.min(Math.max(this.#now, Number.isFinite(signal.at) ? signal.at : 0), this.#to);
    // Gaps in observation are applied before the judgement.
    this.#pass(signal.kind === "gap" ? Math.min(at, Math.max(this.#now, signal.from)) : at);
    this.#judges.take([signal], at);
    if (signal.kind === "exit") this.#exit = { at: iso(at), code: signal.code, signal: signal.signal };
    // Signals from before the period are folded without judging, which takes most of the time of a long history.
    if (at < this.#from) return;
    // A workspace also reports commits and files that are older than the agent: those are not its work.
    if (signal.at >= this.#from) this.#counts.take(signal, this.#from, this.#to);
    this.#assess(at);
  }

  finish(): AgentSummary {
    this.#pass(this.#to);
    this.#assess(this.#to);
    this.#close(this.#to, null);
    const { name, id: session, kind, origin, task } = this.#session;
    const { state, cause, asksUser } = this.#judges.assessment;
    return {
      name: sanitize(name, 80),
      session,
      kind: sanitize(kind, 40),
      origin,
      task: task === null ? null : sanitize(task, 200),
      from: iso(this.#from),
      to: iso(this.#to),
      state,
      cause,
      move: moveOf({ state, cause, ...(asksUser ? { asksUser } : {}) }),
      ended: this.#session.endedAt === null ? null : (this.#exit ?? { at: iso(this.#to), code: null, signal: null }),
      states: roundedSecs(this.#states),
      problems: this.#problems,
      problems_omitted: this.#left,
      ...this.#counts.result(),
    };
  }

  /** Advances the time, and judges at the requested moments. */
  #pass(to: number): void {
    if (this.#now < this.#from && to >= this.#from) {
      this.#assess(this.#from);
      this.#now = this.#from;
    }
    while (this.#now >= this.#from) {
      const due = this.#judges.assessment.recheckAt;
      const at = due === null ? to : Math.max(due, this.#now + RECHECK_MS);
      if (at >= to) break;
      this.#now = at;
      this.#assess(at);
    }
    this.#now = Math.max(this.#now, to);
  }

  #assess(at: number): void {
    this.#judges.judge(at);
    const { state, cause, reasons } = this.#judges.assessment;
    const before = this.#stretch;
    if (before && completesPrompt(before, before.from, this.#judges.assessment)) before.reason = reasons[0] ?? "";
    if (before && before.state === state && before.cause === cause) return;
    this.#close(at, state);
    this.#stretch = { state, cause, from: at, reason: reasons[0] ?? "" };
  }

  #close(at: number, next: State | null): void {
    const stretch = this.#stretch;
    if (!stretch) return;
    this.#onStretch(stretch, at, next);
    const lasted = at - stretch.from;
    this.#states[stretch.state] = (this.#states[stretch.state] ?? 0) + lasted;
    if (!PROBLEMS.has(stretch.state) || (stretch.state === "unknown" && lasted < UNKNOWN_MS)) return;
    if (this.#problems.length >= PROBLEMS_MAX) {
      this.#left++;
      return;
    }
    this.#problems.push({
      state: stretch.state,
      cause: stretch.cause,
      from: iso(stretch.from),
      to: next === null ? null : iso(at),
      duration_secs: Math.round(lasted / 1000),
      began_before: stretch.from === this.#from && this.#from > this.#session.startedAt,
      followed_by: next,
      reason: sanitize(stretch.reason, 200),
    });
  }
}

type OnStretch = (stretch: Stretch, to: number, next: State | null) => void;

/** Results: commits, files, tests, tokens, and unobserved time. */
class Counts {
  readonly #commits = new Set<string>();
  readonly #files = new Set<string>();
  readonly #tests = { passed: 0, failed: 0 };
  /** By source: two that count the same tokens are not added up. */
  readonly #tokens = new Map<TokensSignal["source"], AgentSummary["tokens"]>();
  #unseenMs = 0;

  take(signal: Signal, from: number, to: number): void {
    if (signal.kind === "commit") addName(this.#commits, signal.id);
    else if (signal.kind === "file" && (signal.role ?? "workspace") === "workspace") addName(this.#files, signal.path);
    else if (signal.kind === "test" && signal.ok !== null) this.#tests[signal.ok ? "passed" : "failed"]++;
    else if (signal.kind === "gap")
      this.#unseenMs += Math.max(0, Math.min(signal.to, to) - Math.max(signal.from, from));
    else if (signal.kind === "tokens") {
      const sum = this.#tokens.get(signal.source) ?? { input: 0, output: 0, cost_usd: 0 };
      this.#tokens.set(signal.source, {
        input: sum.input + amount(signal.input),
        output: sum.output + amount(signal.output),
        cost_usd: sum.cost_usd + amount(signal.costUsd),
      });
    }
  }

  result(): Pick<AgentSummary, "commits" | "files" | "tests" | "tokens" | "unobserved_secs"> {
    const best = SOURCES.find((source) => this.#tokens.has(source));
    const tokens = (best && this.#tokens.get(best)) ?? { input: 0, output: 0, cost_usd: 0 };
    return {
      commits: this.#commits.size,
      files: this.#files.size,
      tests: this.#tests,
      tokens: { ...tokens, cost_usd: Math.round(tokens.cost_usd * 100) / 100 },
      unobserved_secs: Math.round(this.#unseenMs / 1000),
    };
  }
}

function addName(names: Set<string>, name: string): void {
  if (names.size < NAMES_MAX) names.add(name);
}

const amount = (value: number | undefined): number =>
  typeof value === "number" && value > 0 && Number.isFinite(value) ? value : 0;

function roundedSecs(states: Partial<Record<State, number>>): Partial<Record<State, number>> {
  return Object.fromEntries(
    Object.entries(states).flatMap(([state, ms]) => (ms >= 500 ? [[state, Math.round(ms / 1000)]] : [])),
  );
}

const iso = (ms: number): string => new Date(ms).toISOString();
