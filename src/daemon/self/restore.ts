/** Reads the journal after a restart: each session is judged again at the moments at which it was judged before. */

import type { AgentSession } from "../../core/agent.js";
import type { Effect } from "../../core/effects.js";
import type { NodeState } from "../../core/node-state.js";
import type { LivenessSource, SessionJudge } from "../../core/session-judge.js";
import { step } from "../../core/step.js";
import { ENDED_KEPT_MS } from "../../core/take-in.js";
import type { Journal } from "../../store/journal.js";
import { type DaemonClock, type Moment, TICK_MS } from "./clock.js";

/** A silence of hours is stepped through every half minute at most. */
const STEPS_MAX = 2000;
const PIECE = 64;

export interface RestoreResult {
  signals: number;
  /** Sessions whose stored signals are damaged. */
  incomplete: string[];
  /** To be carried out once all sessions are known. */
  effects: Effect[];
}

/** Yields every few signals, so that a long journal can be read in pieces. `lastObserved` is null if it is not known. */
export function* restoreSessions(
  state: NodeState,
  journal: Journal,
  clock: DaemonClock,
  lastObserved: Moment | null,
): Generator<number, RestoreResult> {
  let signals = 0;
  const restored: { id: string; last: number }[] = [];
  const incomplete = new Set<string>();
  for (const session of journal.sessions()) {
    if (session.endedAt !== null && clock.now() - session.endedAt > ENDED_KEPT_MS) continue;
    step(state, { kind: "restore", session }, session.startedAt);
    const history = new History(state, session.id, session.startedAt);
    const onHole = (): void => {
      incomplete.add(session.id);
      history.forget(session);
    };
    for (const { seq, signal, receivedAt } of journal.read(session.id, 0, onHole)) {
      const unobservedFrom = signal.kind === "gap" ? signal.from : receivedAt;
      history.add(signal, receivedAt, seq === null ? "sensor" : "host", unobservedFrom);
      if (++signals % PIECE === 0) yield signals;
    }
    history.flush();
    restored.push({ id: session.id, last: history.at });
    if (journal.isDamaged) incomplete.add(session.id);
    if (!history.isEmpty) clock.reach(history.at);
  }
  const effects = restored.flatMap(({ id, last }) => resume(state, clock, id, last, lastObserved));
  return { signals, incomplete: [...incomplete], effects };
}

/** From the last stored signal to now: judged up to the last observation, and unobserved from there. */
function resume(state: NodeState, clock: DaemonClock, id: string, last: number, lastObserved: Moment | null): Effect[] {
  const judge = state.sessions.get(id);
  if (!judge) return [];
  const now = clock.now();
  let unobservedFrom: number | null = null;
  if (judge.session.endedAt === null) {
    const seen = Math.min(now, Math.max(last, lastObserved?.now ?? last));
    judgeUntil(state, judge, seen);
    unobservedFrom = clock.unwatchedFrom(seen, lastObserved);
  }
  return step(state, { kind: "restored", session: id, unobservedFrom }, now).effects;
}

/** The stored signals of one session, in their original batches. */
class History {
  readonly #state: NodeState;
  readonly #id: string;
  #batch: { signals: Parameters<SessionJudge["take"]>[0][number][]; by: LivenessSource[] } = { signals: [], by: [] };
  at: number;
  isEmpty = true;

  constructor(state: NodeState, id: string, startedAt: number) {
    this.#state = state;
    this.#id = id;
    this.at = startedAt;
  }

  add(
    signal: Parameters<SessionJudge["take"]>[0][number],
    receivedAt: number,
    by: LivenessSource,
    until: number,
  ): void {
    if (receivedAt > this.at) {
      this.flush();
      const judge = this.#state.sessions.get(this.#id);
      if (judge) judgeUntil(this.#state, judge, Math.min(until, receivedAt));
      this.at = receivedAt;
    }
    this.isEmpty = false;
    this.#batch.signals.push(signal);
    this.#batch.by.push(by);
  }

  /** Signals are missing here: nothing from before may hold, such as a turn whose end is lost. */
  forget(session: AgentSession): void {
    this.#batch = { signals: [], by: [] };
    step(this.#state, { kind: "restore", session }, this.at);
  }

  flush(): void {
    if (this.#batch.signals.length === 0) return;
    step(this.#state, { kind: "history", session: this.#id, ...this.#batch }, this.at);
    this.#batch = { signals: [], by: [] };
  }
}

/** Judges at the recheck time of each assessment, so that the timeline is the one that was observed. */
function judgeUntil(state: NodeState, judge: SessionJudge, until: number): void {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const { recheckAt, at } = judge.assessment;
    if (recheckAt === null) return;
    // The loop checks no more often than this.
    const due = Math.max(recheckAt, at + TICK_MS);
    if (due >= until) return;
    step(state, { kind: "history", session: judge.session.id, signals: [], by: [] }, due);
  }
}
