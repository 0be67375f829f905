/**
 * Heartbeats to an external monitor, sent at the end of a completed round of judging and never from a timer, which would
 * keep running while the loop is dead. They never block the loop: one is under way at a time, each ends in bounded time, and
 * failures are recorded.
 */
import { sanitize } from "../../core/text/sanitize.js";

export interface PulseView {
  /** Its target as shown to users, without secrets. */
  to: string;
  every_secs: number;
  /** Times in ISO 8601. */
  last_ok: string | null;
  /** Failures since the last success. */
  failures: number;
  error: string | null;
}

export interface PulseOptions {
  to: string;
  everyMs: number;
  /** Sends one heartbeat; the first is marked. Ends in bounded time, or when it is aborted. */
  send: (isFirst: boolean, abort: AbortSignal) => Promise<void>;
  /** The last heartbeat, when the daemon is stopped on request. */
  sendLast?: () => Promise<void>;
}

export class Pulse {
  readonly #options: PulseOptions;
  readonly #abort = new AbortController();
  #sentAt: number | null = null;
  #isUnderWay = false;
  #isFirst = true;
  #okAt: number | null = null;
  #failures = 0;
  #error: string | null = null;

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  /** Called after each completed round. */
  ticked(now: number): void {
    if (this.#isUnderWay || this.#abort.signal.aborted) return;
    if (this.#sentAt !== null && now - this.#sentAt < this.#options.everyMs) return;
    this.#sentAt = now;
    this.#isUnderWay = true;
    void this.#send(now).finally(() => {
      this.#isUnderWay = false;
    });
  }

  stop(): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    this.#options.sendLast?.().catch(() => {
      // The monitor notices the end by itself.
    });
  }

  view(): PulseView {
    const { to, everyMs } = this.#options;
    return {
      to,
      every_secs: everyMs / 1000,
      last_ok: this.#okAt === null ? null : new Date(this.#okAt).toISOString(),
      failures: this.#failures,
      error: this.#error,
    };
  }

  async #send(now: number): Promise<void> {
    try {
      await this.#options.send(this.#isFirst, this.#abort.signal);
      this.#isFirst = false;
      this.#okAt = now;
      this.#failures = 0;
      this.#error = null;
    } catch (error) {
      this.#failures++;
      this.#error = sanitize((error as Error).message, 200);
    }
  }
}
