/**
 * Signals of the daemon's own sensors on their way into the journal. If the disk is full or missing, signals are kept and
 * stored later, before any newer ones. Hosts do the same with their signals.
 */
import type { Signal } from "../../core/signal.js";

/** Most waiting signals of one session: hours of a working agent. */
const WAITING_MAX = 20_000;

export class SignalBacklog {
  readonly #store: (session: string, signals: readonly Signal[]) => Promise<unknown>;
  /** By session, oldest first. */
  readonly #waiting = new Map<string, readonly Signal[]>();

  readonly #sending = new Map<string, Promise<boolean>>();

  constructor(store: (session: string, signals: readonly Signal[]) => Promise<unknown>) {
    this.#store = store;
  }

  /** True if no signal waits. */
  get isDone(): boolean {
    return this.#waiting.size === 0 && this.#sending.size === 0;
  }

  add(session: string, signals: readonly Signal[]): Promise<void> {
    if (signals.length > 0) this.#waiting.set(session, [...(this.#waiting.get(session) ?? []), ...signals]);
    return this.#send(session);
  }

  async reportAgain(): Promise<void> {
    const sessions = Array.from(this.#waiting.keys());
    for (const session of sessions) await this.#send(session);
  }

  /** One batch per session at a time, to keep the order. */
  async #send(session: string): Promise<void> {
    await this.#sending.get(session);
    const all = this.#waiting.get(session);
    if (all === undefined || this.#sending.has(session)) return;
    this.#waiting.delete(session);
    const sent = this.#store(session, all).then(
      () => true,
      () => false,
    );
    this.#sending.set(session, sent);
    const isStored = await sent;
    this.#sending.delete(session);
    const meanwhile = this.#waiting.get(session) ?? [];
    if (!isStored) this.#waiting.set(session, [...all, ...meanwhile].slice(-WAITING_MAX));
    else if (meanwhile.length > 0) await this.#send(session);
  }
}
