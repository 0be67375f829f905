/** The record of a host's agent. Without it nobody finds the agent by name: on a full disk it is written as soon as there is room. */
import { type HostRecord, writeRecord } from "./registry.js";

const AGAIN_MS = 4000;

export class RecordKeeper {
  readonly #paths: Parameters<typeof writeRecord>[0];
  #again: NodeJS.Timeout | null = null;

  constructor(paths: Parameters<typeof writeRecord>[0]) {
    this.#paths = paths;
  }

  /** Throws when it cannot be written now; it is tried again until it is, or another takes its place. */
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
      // There is no room yet.
    }
  }
}
