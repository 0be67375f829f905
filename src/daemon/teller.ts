/**
 * What the daemon's own senses saw, on its way into the journal. A store that is full or gone may be back soon: what it did
 * not take is kept, and told before anything newer. Hosts do the same with what they see.
 */
import type { Signal } from "../core/signal.js";

/** Signals of one session that wait for the store: hours of an agent at work. */
const WAITING_MAX = 20_000;

export class Teller {
  readonly #store: (session: string, signals: readonly Signal[]) => Promise<unknown>;
  /** By session, oldest first. */
  readonly #waiting = new Map<string, readonly Signal[]>();

  constructor(store: (session: string, signals: readonly Signal[]) => Promise<unknown>) {
    this.#store = store;
  }

  /** Everything that was seen is stored. */
  get isDone(): boolean {
    return this.#waiting.size === 0;
  }

  async tell(session: string, signals: readonly Signal[]): Promise<void> {
    const all = [...(this.#waiting.get(session) ?? []), ...signals];
    this.#waiting.delete(session);
    if (all.length === 0) return;
    try {
      await this.#store(session, all);
    } catch {
      const meanwhile = this.#waiting.get(session) ?? [];
      this.#waiting.set(session, [...all, ...meanwhile].slice(-WAITING_MAX));
    }
  }

  async tellAgain(): Promise<void> {
    for (const session of [...this.#waiting.keys()]) await this.tell(session, []);
  }
}
