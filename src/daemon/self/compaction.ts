/**
 * Keeps the journal small and a restart short, in pieces of some milliseconds: older signals are packed, and of each
 * session there is a snapshot of not long ago. A snapshot is made from the stored signals alone, so that it is exactly
 * what a restart without it would find.
 */
import { createNodeState, type NodeState } from "../../core/node-state.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { Journal } from "../../store/journal.js";
import { findSnapshot, openHistory } from "./restore.js";
import { encodeSnapshot, snapshotKey } from "./session-snapshot.js";

/** What is due, and how much of it at once. */
export const COMPACTION_LIMITS = {
  /** Signals after the snapshots of all sessions: about as many are read by a restart, in half a second of work. */
  tails: 40_000,
  tailMin: 100,
  tailMax: 2500,
  /** A tail of few signals may hold hours, and each check in them takes time too. */
  tailAgeMs: 10 * 60_000,
  /** Of one piece, and how long it may take: few signals may have many checks between them. */
  pieceSignals: 1000,
  pieceMs: 12,
  looseBytes: 256 * 1024,
  /** A quiet agent's signals are packed too. */
  looseAgeMs: 60 * 60_000,
};
/** A batch is complete when later signals carry a later time. */
const CLOSED_MS = 1000;

export interface CompactionOptions {
  journal: Journal;
  /** The sessions that a restart restores. */
  state: NodeState;
  release: string;
  limits?: Partial<typeof COMPACTION_LIMITS>;
}

export class Compaction {
  readonly #options: CompactionOptions;
  readonly #limits: typeof COMPACTION_LIMITS;
  /** Sessions whose signals after the snapshot cannot be taken into it, as unreadable ones, with their number. */
  readonly #futile = new Map<string, number>();

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#limits = { ...COMPACTION_LIMITS, ...options.limits };
  }

  /** One piece of work. False if nothing is due. Throws if the journal cannot be written. */
  step(now: number): boolean {
    const { journal, state } = this.#options;
    const { tails, tailMin, tailMax, tailAgeMs, looseBytes, looseAgeMs } = this.#limits;
    const sizes = journal.sizes();
    const isPacked = sizes.some(({ session, loose: { amount, since } }) => {
      return isDue(amount, since, looseBytes, looseAgeMs, now) && journal.pack(session) > 0;
    });
    if (isPacked) return true;
    const most = Math.min(tailMax, Math.max(tailMin, tails / Math.max(1, sizes.length)));
    const due = sizes
      .filter(({ session, tail: { amount, since } }) => {
        if (!state.sessions.has(session) || this.#futile.get(session) === amount) return false;
        return isDue(amount, since, most, tailAgeMs, now - CLOSED_MS);
      })
      .sort((a, b) => b.tail.amount - a.tail.amount);
    return due.some(({ session, tail: { amount } }) => {
      const isDone = this.#snapshot(state.sessions.get(session), now);
      if (isDone) this.#futile.delete(session);
      else this.#futile.set(session, amount);
      return isDone;
    });
  }

  /** Continues the last snapshot. False if no further batch is complete. */
  #snapshot(judge: SessionJudge | undefined, now: number): boolean {
    if (!judge) return false;
    const { journal, state, release } = this.#options;
    const { session } = judge;
    const settings = state.rules.settingsFor(session);
    const own = createNodeState(state.rules);
    const from = findSnapshot(journal, session, settings, release);
    const history = openHistory(journal, own, session, from);
    const until = performance.now() + this.#limits.pieceMs;
    let signals = 0;
    const onHole = (): void => history.forget();
    for (const stored of journal.read(session.id, { after: history.batch, onHole })) {
      // At least one batch, however slow the machine is.
      const isEnough = signals > 0 && (signals >= this.#limits.pieceSignals || performance.now() > until);
      if (history.isLater(stored.receivedAt) && (isEnough || stored.receivedAt >= now - CLOSED_MS)) break;
      history.add(stored);
      signals++;
    }
    if (signals === 0 || history.at >= now - CLOSED_MS) return false;
    journal.putSnapshot(session.id, encodeSnapshot(history.snapshot(), snapshotKey(session, settings, release)));
    return true;
  }
}

const isDue = (amount: number, since: number | null, most: number, ageMs: number, now: number): boolean =>
  amount >= most || (amount > 0 && since !== null && now - since >= ageMs);
