/**
 * Who watches the watchdog: a sign of life that leaves for the outside at the end of a finished round of judging, never
 * from a timer of its own, which would live on while the loop is dead. It never holds the loop up: one sign is under way
 * at a time, each ends by itself, and a failure is kept to be shown.
 */
import { sanitize } from "../../core/text/sanitize.js";

export interface PulseView {
  /** Where it goes, for people; nothing that is secret. */
  to: string;
  every_secs: number;
  /** Times in ISO 8601. */
  last_ok: string | null;
  /** Since the last that succeeded. */
  failures: number;
  error: string | null;
}

export interface PulseOptions {
  to: string;
  everyMs: number;
  /** Sends one sign; the first is marked. Ends in bounded time, or when it is aborted. */
  send: (isFirst: boolean, abort: AbortSignal) => Promise<void>;
  /** The last sign, when the daemon ends because it was asked to. */
  bye?: () => Promise<void>;
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

  /** A round is finished. */
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
    this.#options.bye?.().catch(() => {
      // Whoever waits for it sees the end itself.
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
