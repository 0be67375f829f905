/**
 * What the journal needs: every minute its file checked and old signals removed, and in between the newer ones made
 * small. Its errors are counted by the journal itself.
 */
import type { Journal } from "../../store/journal.js";
import type { PruneLimits } from "../../store/prune.js";
import type { Loop } from "../loop.js";
import type { Compaction } from "./compaction.js";

export interface UpkeepOptions {
  journal: Journal;
  loop: Pick<Loop, "storeAgain" | "now">;
  limits: Omit<PruneLimits, "now">;
  compaction: Pick<Compaction, "step">;
  log: (line: string) => void;
}

/** A call of `compact` takes about as long as this, and one piece. */
const PIECES_MS = 10;

export class JournalUpkeep {
  readonly #options: UpkeepOptions;
  #logged: string | null = null;
  /** The journal could not be made smaller: tried again at the next run. */
  #isPaused = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  run(): void {
    const { journal, loop, limits } = this.#options;
    this.#isPaused = false;
    this.#checkFile();
    try {
      journal.prune({ ...limits, now: loop.now() });
    } catch {
      // Tried again at the next run.
    }
  }

  /** To be called several times a second. */
  compact(): void {
    if (this.#isPaused) return;
    const { compaction, loop } = this.#options;
    const until = performance.now() + PIECES_MS;
    try {
      for (let isMore = true; isMore && performance.now() < until; ) isMore = compaction.step(loop.now());
    } catch {
      this.#isPaused = true;
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
