/**
 * One agent over time: its sessions, states, tokens and cost. The stored signals are judged again by the current rules, so
 * it reaches back as far as the journal does.
 */
import type { AgentSession } from "../../core/agent.js";
import type { JudgingOptions } from "../../core/session-judge.js";
import type { Signal, Source } from "../../core/signal.js";
import type { Cause, State } from "../../core/states.js";
import { sanitize } from "../../core/text/sanitize.js";
import { HOUR } from "../../core/text/time.js";
import type { StoredSignal } from "../../store/journal-reader.js";
import { type AgentSummary, SessionFold } from "./summary.js";

export interface HistoryState {
  session: string;
  from: string;
  /** Null while it lasts. */
  to: string | null;
  state: State;
  cause: Cause | null;
  reason: string;
}

export interface HistoryUsage {
  from: string;
  tokens: number;
  /** Null if no price is known. */
  cost_usd: number | null;
}

export interface HistorySession {
  session: string;
  kind: string;
  origin: AgentSession["origin"];
  task: string | null;
  started_at: string;
  ended: AgentSummary["ended"];
  /** Seconds in each state, within the period. */
  states: AgentSummary["states"];
}

export interface History {
  since: string;
  until: string;
  /** Oldest first. */
  sessions: HistorySession[];
  states: HistoryState[];
  states_omitted: number;
  /** One entry per hour with usage. */
  usage: HistoryUsage[];
}

const STATES_MAX = 1000;
const STEP = 64;

/** The sessions are all of one agent. Yields every few signals. */
export function* historyOf(
  sessions: readonly AgentSession[],
  storedSignals: (session: string) => Iterable<StoredSignal>,
  since: number,
  now: number,
  settingsFor: (session: AgentSession) => JudgingOptions = () => ({}),
): Generator<void, History> {
  const within = sessions
    .filter(({ startedAt, endedAt }) => startedAt <= now && (endedAt === null || endedAt >= since))
    .sort((a, b) => a.startedAt - b.startedAt);
  const states: HistoryState[] = [];
  const hours = new Map<number, Usage>();
  const shown: HistorySession[] = [];
  let omitted = 0;
  for (const session of within) {
    const usage = new SessionUsage(since, now);
    const fold = new SessionFold(
      session,
      since,
      now,
      settingsFor(session),
      ({ from, state, cause, reason }, to, next) => {
        states.push({
          session: session.id,
          from: iso(from),
          to: next === null && session.endedAt === null ? null : iso(to),
          state,
          cause,
          reason: sanitize(reason, 300),
        });
        // The newest are kept.
        if (states.length > STATES_MAX) {
          states.shift();
          omitted++;
        }
      },
    );
    let taken = 0;
    for (const { signal } of storedSignals(session.id)) {
      fold.take(signal);
      usage.take(signal);
      if (++taken % STEP === 0) yield;
    }
    const { kind, origin, task, ended, states: secs } = fold.finish();
    shown.push({
      session: session.id,
      kind,
      origin,
      task,
      started_at: iso(session.startedAt),
      ended,
      states: secs,
    });
    for (const [hour, { tokens, costUsd }] of usage.hours()) {
      const sum = hours.get(hour) ?? { tokens: 0, costUsd: 0 };
      hours.set(hour, { tokens: sum.tokens + tokens, costUsd: sum.costUsd + costUsd });
    }
    yield;
  }
  const usage = [...hours]
    .sort(([a], [b]) => a - b)
    .map(([hour, { tokens, costUsd }]) => ({
      from: iso(hour * HOUR),
      tokens,
      cost_usd: costUsd > 0 ? Math.round(costUsd * 10_000) / 10_000 : null,
    }));
  return { since: iso(since), until: iso(now), sessions: shown, states, states_omitted: omitted, usage };
}

interface Usage {
  tokens: number;
  costUsd: number;
}

/** Each source is counted separately and the largest sum counts: two sources may report the same tokens. */
class SessionUsage {
  readonly #from: number;
  readonly #to: number;
  readonly #bySource = new Map<Source, Map<number, Usage>>();

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  take(signal: Signal): void {
    if (signal.kind !== "tokens" || signal.at < this.#from || signal.at > this.#to) return;
    const hours = this.#bySource.get(signal.source) ?? new Map<number, Usage>();
    this.#bySource.set(signal.source, hours);
    const hour = Math.floor(signal.at / HOUR);
    const sum = hours.get(hour) ?? { tokens: 0, costUsd: 0 };
    sum.tokens += amount(signal.input) + amount(signal.output);
    sum.costUsd += amount(signal.costUsd);
    hours.set(hour, sum);
  }

  hours(): Map<number, Usage> {
    const found = new Map<number, Usage>();
    for (const hours of this.#bySource.values())
      for (const [hour, { tokens, costUsd }] of hours) {
        const best = found.get(hour) ?? { tokens: 0, costUsd: 0 };
        found.set(hour, { tokens: Math.max(best.tokens, tokens), costUsd: Math.max(best.costUsd, costUsd) });
      }
    return found;
  }
}

const amount = (value: number | undefined): number =>
  typeof value === "number" && value > 0 && Number.isFinite(value) ? value : 0;

const iso = (ms: number): string => new Date(ms).toISOString();
