/** Writes the record of a host's agent. Without it the agent cannot be found by name: on a full disk, writing is retried. */
import { type HostRecord, writeRecord } from "./registry.js";

const AGAIN_MS = 4000;

export class RecordKeeper {
  readonly #paths: Parameters<typeof writeRecord>[0];
  #again: NodeJS.Timeout | null = null;

  constructor(paths: Parameters<typeof writeRecord>[0]) {
    this.#paths = paths;
  }

  /** Throws if it cannot be written now; retries until it is written or replaced. */
  keep(record: HostRecord): void {
    this.stop();
    try {
      writeRecord(this.#paths, record);
    } catch (error) {
      this.#again = setInterval(() => this.#try(record), AGAIN_MS).unref();
      throw error;
    }
  }

  stop(): void {
    if (this.#again) clearInterval(this.#again);
    this.#again = null;
  }

  #try(record: HostRecord): void {
    try {
      writeRecord(this.#paths, record);
      this.stop();
    } catch {
      // The disk is still full.
    }
  }
}
