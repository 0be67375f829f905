/** What the journal needs every minute: its file checked, old signals removed. Its errors are counted by the journal itself. */
import type { Journal } from "../../store/journal.js";
import type { PruneLimits } from "../../store/prune.js";
import type { Loop } from "../loop.js";

export interface UpkeepOptions {
  journal: Journal;
  loop: Pick<Loop, "storeAgain" | "now">;
  limits: Omit<PruneLimits, "now">;
  log: (line: string) => void;
}

export class JournalUpkeep {
  readonly #options: UpkeepOptions;
  #logged: string | null = null;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  run(): void {
    const { journal, loop, limits } = this.#options;
    this.#checkFile();
    try {
      journal.prune({ ...limits, now: loop.now() });
    } catch {
      // Tried again at the next run.
    }
  }

  #checkFile(): void {
    const { journal, loop } = this.#options;
    try {
      const found = journal.checkFile();
      this.#log(found);
      if (found !== null) loop.storeAgain();
    } catch (error) {
      this.#log((error as Error).message);
    }
  }

  /** The same failure is logged once. */
  #log(line: string | null): void {
    if (line !== null && line !== this.#logged) this.#options.log(line);
    this.#logged = line;
  }
}
