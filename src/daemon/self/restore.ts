/** Reads the journal after a restart: of each session a snapshot, if there is one, and the signals after it. */

import type { AgentSession } from "../../core/agent.js";
import type { Effect } from "../../core/effects.js";
import type { NodeState } from "../../core/node-state.js";
import { step } from "../../core/step.js";
import { ENDED_KEPT_MS } from "../../core/take-in.js";
import type { Journal } from "../../store/journal.js";
import type { DaemonClock, Moment } from "./clock.js";
import { History, judgeUntil } from "./history.js";
import { decodeHabits, decodeSnapshot, type SessionSnapshot, snapshotKey } from "./session-snapshot.js";

const PIECE = 64;
/**
 * Signals that a restart reads at most, of all sessions together: a second of work. More are only there if no snapshot
 * could be used, as after an update; then the newest count.
 */
const SIGNALS_MAX = 100_000;
const SIGNALS_MIN = 200;

export interface RestoreResult {
  signals: number;
  /** Sessions some of whose stored signals are damaged, or were not read. */
  incomplete: string[];
  /** To be carried out once all sessions are known. */
  effects: Effect[];
}

export interface RestoreOptions {
  state: NodeState;
  journal: Journal;
  clock: DaemonClock;
  /** Null if it is not known. */
  lastObserved: Moment | null;
  /** Of rouse: snapshots of another one are not used. */
  release: string;
  signalsMax?: number;
}

/** Yields every few signals, so that a long journal can be read in pieces. */
export function* restoreSessions(options: RestoreOptions): Generator<number, RestoreResult> {
  const { state, journal, clock, lastObserved, signalsMax = SIGNALS_MAX } = options;
  const sessions = journal
    .sessions()
    .filter(({ endedAt }) => endedAt === null || clock.now() - endedAt <= ENDED_KEPT_MS);
  const most = Math.max(SIGNALS_MIN, Math.floor(signalsMax / Math.max(1, sessions.length)));
  let signals = 0;
  const restored: { id: string; last: number }[] = [];
  const incomplete: string[] = [];
  for (const session of sessions) {
    const { id } = session;
    const reading = readHistory(options, session, most);
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) {
        const history = next.value;
        restored.push({ id, last: history.at });
        if (history.isIncomplete || journal.isDamaged) incomplete.push(id);
        if (!history.isEmpty) clock.reach(history.at);
        break;
      }
      if (++signals % PIECE === 0) yield signals;
    }
  }
  const effects = restored.flatMap(({ id, last }) => resume(state, clock, id, last, lastObserved));
  return { signals, incomplete, effects };
}

/** Yields after each signal. */
function* readHistory(
  { state, journal, release }: RestoreOptions,
  session: AgentSession,
  most: number,
): Generator<void, History> {
  for (;;) {
    const from = findSnapshot(journal, session, state.rules.settingsFor(session), release);
    const after = from?.batch ?? 0;
    // Of an outdated snapshot, everything counts as being after it.
    const newest = Math.max(after, journal.startOfNewest(session.id, most));
    const history =
      newest > after ? startAt(journal, state, session, newest) : openHistory(journal, state, session, from);
    for (const stored of journal.read(session.id, { after: newest, onHole: () => history.forget() })) {
      history.add(stored);
      yield;
    }
    history.flush();
    if (!from || from.judge.judgingError !== null || history.judge.judgingError === null) return history;
    // The snapshot is to blame, or the history will show the same.
    journal.outdateSnapshot(session.id);
  }
}

/** The session's snapshot if it holds for this release; another one is outdated from here on. */
export function findSnapshot(
  journal: Journal,
  session: AgentSession,
  settings: Parameters<typeof snapshotKey>[1],
  release: string,
): SessionSnapshot | null {
  const stored = journal.snapshot(session.id);
  const found =
    stored?.fits === snapshotKey(session, settings, release) ? decodeSnapshot(stored, session, settings) : null;
  if (!found && stored?.fits !== "") journal.outdateSnapshot(session.id);
  return found;
}

/** From the snapshot, or from the first signal that is still stored. */
export function openHistory(
  journal: Journal,
  state: NodeState,
  session: AgentSession,
  from: SessionSnapshot | null,
): History {
  const history = new History(state, session, from);
  if (from) return history;
  const [first] = journal.read(session.id);
  learnFrom(journal, session, history, first?.batch ?? Number.POSITIVE_INFINITY);
  return history;
}

/** Only the signals after a batch are read. */
function startAt(journal: Journal, state: NodeState, session: AgentSession, after: number): History {
  const history = new History(state, session);
  history.isIncomplete = true;
  learnFrom(journal, session, history, after + 1);
  return history;
}

/** Of signals before the first one that is read, what was learned. */
function learnFrom(journal: Journal, { id }: AgentSession, history: History, firstRead: number): void {
  const stored = journal.snapshot(id);
  const learned = stored && decodeHabits(stored);
  if (learned && learned.first < firstRead) history.learn(learned);
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
