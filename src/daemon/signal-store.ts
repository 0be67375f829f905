/**
 * Stores signals and sessions on the daemon's clock. What the disk has no room for is judged from memory, and its sender
 * keeps it and sends it again: then it is stored, and not judged a second time.
 */
import type { AgentSession } from "../core/agent.js";
import type { Effect } from "../core/effects.js";
import type { Signal } from "../core/signal.js";
import type { Journal } from "../store/journal.js";
import type { DaemonClock } from "./self/clock.js";

/** The signals were judged, and have to be sent again. */
export class NotStoredError extends Error {
  /** The highest number of this host that was judged. */
  readonly judged: number;
  constructor(cause: Error, judged: number) {
    super(cause.message, { cause });
    this.judged = judged;
  }
}

export interface Taken {
  /** To be judged: each signal once, whether or not it is stored. */
  signals: Signal[];
  /** The highest stored number. */
  acked: number;
  /** Why these could not be stored; null if they are. */
  problem: NotStoredError | null;
}

interface Entry {
  seq: number | null;
  /** The object as its sender holds it. */
  original: Signal;
  signal: Signal;
}

export class SignalStore {
  readonly #journal: Pick<Journal, "append" | "putSession" | "acked">;
  readonly #clock: Pick<DaemonClock, "ahead" | "timed">;
  /** The highest number that was judged and is not stored yet, by session of a host. */
  readonly #judgedUpTo = new Map<string, number>();
  /** The same for the daemon's own sensors, which send the same objects again. */
  readonly #judged = new WeakSet<Signal>();
  readonly #unstored = new Map<string, AgentSession>();

  constructor(journal: Pick<Journal, "append" | "putSession" | "acked">, clock: Pick<DaemonClock, "ahead" | "timed">) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** `isStored`: false for signals that a host sends to be judged while earlier ones wait for the disk. */
  async append(
    session: string,
    from: number | null,
    signals: readonly Signal[],
    at: number,
    isStored = true,
  ): Promise<Taken> {
    const entries = this.#entries(from, signals);
    if (!isStored) return this.#fromMemory(session, entries, new Error("earlier signals cannot be stored"));
    try {
      const timed = entries.map(({ signal }) => signal);
      const { acked, fresh } = await this.#journal.append(session, from, timed, at);
      // What it already had comes first.
      const stored = entries.slice(entries.length - fresh.length);
      const unjudged = stored.filter((entry) => !this.#isJudged(session, entry));
      if ((this.#judgedUpTo.get(session) ?? 0) <= acked) this.#judgedUpTo.delete(session);
      return { signals: unjudged.map(({ signal }) => signal), acked, problem: null };
    } catch (error) {
      return this.#fromMemory(session, entries, error as Error);
    }
  }

  putSession(session: AgentSession): void {
    this.#unstored.set(session.id, session);
    this.retry();
  }

  /** Stores the sessions that could not be stored. */
  retry(): void {
    try {
      for (const [id, session] of this.#unstored) {
        this.#journal.putSession(session);
        this.#unstored.delete(id);
      }
    } catch {
      // The journal reports it.
    }
  }

  /** rouse's own records, and sessions that changed. */
  keep(effects: readonly Effect[], at: number): void {
    for (const effect of effects) {
      if (effect.kind === "append") void this.append(effect.session, null, [effect.signal], at);
      if (effect.kind === "put_session") this.putSession(effect.session);
    }
  }

  #fromMemory(session: string, entries: readonly Entry[], problem: Error): Taken {
    const acked = this.#journal.acked(session);
    const unjudged = entries.filter((entry) => (entry.seq ?? acked + 1) > acked && !this.#isJudged(session, entry));
    for (const { seq, original } of unjudged)
      if (seq === null) this.#judged.add(original);
      else this.#judgedUpTo.set(session, seq);
    const judged = Math.max(acked, this.#judgedUpTo.get(session) ?? 0);
    return { signals: unjudged.map(({ signal }) => signal), acked, problem: new NotStoredError(problem, judged) };
  }

  #isJudged(session: string, { seq, original }: Entry): boolean {
    return seq === null ? this.#judged.has(original) : seq <= (this.#judgedUpTo.get(session) ?? 0);
  }

  /** Hosts stamp with the wall clock, which may have been set back. */
  #entries(from: number | null, signals: readonly Signal[]): Entry[] {
    const { ahead } = this.#clock;
    return signals.map((original, index) => ({
      seq: from === null ? null : from + index,
      original,
      signal: ahead === 0 ? original : { ...original, at: this.#clock.timed(original.at) },
    }));
  }
}
