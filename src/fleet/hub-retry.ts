/** When a hub that did not answer is asked again: after half a second, doubling up to five. */
import { type Clocks, elapsed, type Reading, read } from "./lease.js";

const FIRST_MS = 500;
const LONGEST_MS = 5_000;

export class HubRetry {
  readonly #clocks: Clocks;
  readonly #random: () => number;
  /** Why the last call failed; null if it did not. */
  failure: string | null = null;
  #failedAt: Reading | null = null;
  #waitMs = 0;

  constructor(clocks: Clocks, random: () => number) {
    this.#clocks = clocks;
    this.#random = random;
  }

  isWaiting(): boolean {
    return this.#failedAt !== null && elapsed(this.#failedAt, read(this.#clocks)) < this.#waitMs;
  }

  /** Whether the call before had failed. */
  succeed(): boolean {
    const isBack = this.failure !== null;
    this.failure = null;
    this.#waitMs = 0;
    return isBack;
  }

  /** Whether this failure is another one than the last. */
  fail(message: string): boolean {
    const isNew = message !== this.failure;
    this.failure = message;
    this.#failedAt = read(this.#clocks);
    const doubled = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#waitMs * 2));
    // Nodes that lost the hub together do not return together.
    this.#waitMs = doubled * (0.75 + 0.25 * this.#random());
    return isNew;
  }
}
