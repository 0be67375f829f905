/**
 * The stored signals of one session, judged again in their original batches, at the moments at which they were judged
 * before. It can begin from a snapshot: an earlier history, up to a moment between two batches. What follows is the same
 * whether it begins there or at the first signal.
 */
import type { AgentSession } from "../../core/agent.js";
import type { NodeState } from "../../core/node-state.js";
import type { LivenessSource, SessionJudge } from "../../core/session-judge.js";
import type { Signal } from "../../core/signal.js";
import { step } from "../../core/step.js";
import type { StoredSignal } from "../../store/journal-reader.js";
import { TICK_MS } from "./clock.js";
import { habitsIn, type SessionSnapshot } from "./session-snapshot.js";

/** A silence of hours is stepped through every half minute at most. */
const STEPS_MAX = 2000;

export class History {
  readonly #state: NodeState;
  readonly #session: AgentSession;
  #batch: { signals: Signal[]; by: LivenessSource[] } = { signals: [], by: [] };
  /** Time of the last batch. */
  at: number;
  /** The last batch; 0 before the first one. */
  batch: number;
  /** The first batch that counts, also if it is no longer stored; null before it. */
  first: number | null;
  /** Signals are missing. */
  isIncomplete: boolean;

  /** A state of before the first signal, or of the snapshot. */
  constructor(state: NodeState, session: AgentSession, from: SessionSnapshot | null = null) {
    this.#state = state;
    this.#session = session;
    this.at = from?.at ?? session.startedAt;
    this.batch = from?.batch ?? 0;
    this.first = from?.first ?? null;
    this.isIncomplete = from?.isIncomplete ?? false;
    step(state, { kind: "restore", session, known: from?.judge ?? null }, session.startedAt);
  }

  get judge(): SessionJudge {
    const judge = this.#state.sessions.get(this.#session.id);
    if (!judge) throw new Error(`the session ${this.#session.id} is not restored`);
    return judge;
  }

  get isEmpty(): boolean {
    return this.first === null;
  }

  /** A signal of this time belongs to a later batch than the last one. */
  isLater(receivedAt: number): boolean {
    return receivedAt > this.at;
  }

  add({ signal, batch, seq, receivedAt }: StoredSignal): void {
    if (this.isLater(receivedAt)) {
      this.flush();
      const until = signal.kind === "gap" ? signal.from : receivedAt;
      // Before its first signal, a session may not have been known: an agent of hours that is watched from now on.
      if (this.batch > 0) judgeUntil(this.#state, this.judge, Math.min(until, receivedAt));
      this.at = receivedAt;
    }
    this.first ??= batch;
    this.batch = batch;
    this.#batch.signals.push(signal);
    this.#batch.by.push(seq === null ? "sensor" : "host");
  }

  /** Signals are missing here: nothing from before may hold, such as a turn whose end is lost. */
  forget(): void {
    this.isIncomplete = true;
    this.#batch = { signals: [], by: [] };
    step(this.#state, { kind: "restore", session: this.#session }, this.at);
  }

  /** What was learned from signals that are no longer stored still holds; `first` is the first of them. */
  learn({ first, habits }: Pick<SessionSnapshot, "first" | "habits">): void {
    this.first = first;
    this.judge.take([{ kind: "habits", at: this.at, source: "observer", habits: [...habits] }], this.at);
  }

  flush(): void {
    if (this.#batch.signals.length === 0) return;
    step(this.#state, { kind: "history", session: this.#session.id, ...this.#batch }, this.at);
    this.#batch = { signals: [], by: [] };
  }

  /** Between two batches. Shares its parts with the judge. */
  snapshot(): SessionSnapshot {
    this.flush();
    const { at, batch, isIncomplete, judge } = this;
    const { endedAt } = judge.session;
    const habits = habitsIn(judge);
    return { at, batch, first: this.first ?? batch, isIncomplete, endedAt, habits, judge: judge.state };
  }
}

/** Judges at the recheck time of each assessment, so that the timeline is the one that was observed. */
export function judgeUntil(state: NodeState, judge: SessionJudge, until: number): void {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const { recheckAt, at } = judge.assessment;
    if (recheckAt === null) return;
    // The loop checks no more often than this.
    const due = Math.max(recheckAt, at + TICK_MS);
    if (due >= until) return;
    step(state, { kind: "history", session: judge.session.id, signals: [], by: [] }, due);
  }
}
