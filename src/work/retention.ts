/** Keeps the hub small: closed tasks with their history, events and acknowledged messages are removed after some months. */
import { DAY } from "../core/text/time.js";
import type { NodeHub } from "./node-hub.js";

export const KEPT_MS: number = 90 * DAY;
const EVERY_MS: number = DAY;
const RETRY_MS = 10 * 60_000;

export class Retention {
  readonly #hub: NodeHub;
  readonly #now: () => number;
  #nextAt: number;
  #isRunning = false;

  constructor(hub: NodeHub, now: () => number) {
    this.#hub = hub;
    this.#now = now;
    // Not while the daemon starts.
    this.#nextAt = now() + RETRY_MS;
  }

  /** To be called often. Never throws: an unreachable hub is asked again. */
  async tick(): Promise<void> {
    if (this.#isRunning || this.#now() < this.#nextAt || !this.#hub.isUsed()) return;
    this.#isRunning = true;
    try {
      const hub = await this.#hub.open();
      const before = (await hub.now()) - KEPT_MS;
      await hub.prune({ tasksBefore: before, eventsBefore: before, messagesBefore: before });
      this.#nextAt = this.#now() + EVERY_MS;
    } catch {
      this.#nextAt = this.#now() + RETRY_MS;
    } finally {
      this.#isRunning = false;
    }
  }
}
