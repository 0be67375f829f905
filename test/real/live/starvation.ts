/** How long a client's processes were ready to run and got no CPU, counted beside rouse as its sensor counts it. */
import { setInterval } from "node:timers/promises";
import { countWaits, PROC_WAIT_FILES, starvation } from "../../../src/sensors/process/starvation.js";

const EVERY_MS = 5000;

export class StarvationMeter {
  readonly #lost: { at: number; ms: number }[] = [];
  readonly #end = new AbortController();

  constructor(pids: () => readonly number[]) {
    this.#run(pids).catch(() => {});
  }

  async #run(pids: () => readonly number[]): Promise<void> {
    let before = countWaits(pids(), Date.now(), PROC_WAIT_FILES);
    for await (const _ of setInterval(EVERY_MS, null, { signal: this.#end.signal })) {
      const now = countWaits(pids(), Date.now(), PROC_WAIT_FILES);
      const ms = starvation(before, now)?.lostMs ?? 0;
      if (ms > 0) this.#lost.push({ at: now.at, ms });
      before = now;
    }
  }

  msSince(from: number): number {
    return this.#lost.reduce((sum, { at, ms }) => (at > from ? sum + ms : sum), 0);
  }

  stop(): void {
    this.#end.abort();
  }
}
