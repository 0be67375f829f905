/**
 * What the daemon's own senses saw, on its way into the journal. A store that is full or gone may be back soon: what it did
 * not take is kept, and told before anything newer. Hosts do the same with what they see.
 */
import type { Signal } from "../../core/signal.js";

/** Signals of one session that wait for the store: hours of an agent at work. */
const WAITING_MAX = 20_000;

export class SignalBacklog {
  readonly #store: (session: string, signals: readonly Signal[]) => Promise<unknown>;
  /** By session, oldest first. */
  readonly #waiting = new Map<string, readonly Signal[]>();

  readonly #sending = new Map<string, Promise<boolean>>();

  constructor(store: (session: string, signals: readonly Signal[]) => Promise<unknown>) {
    this.#store = store;
  }

  /** Everything that was seen is stored. */
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

  /** One batch of a session at a time, so that none overtakes another. */
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
