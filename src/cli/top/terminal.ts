/**
 * The terminal of `rouse top`: the alternate screen, raw keys, and frames written as the lines that changed, inside a
 * synchronized update. It is restored however the process ends.
 */
import { constants } from "node:os";
import { frameBytes } from "./frame-bytes.js";

const CSI = "\u001b[";
/** Alternate screen, no cursor, no wrapping, pasted text marked as such. */
const ENTER = `${CSI}?1049h${CSI}?25l${CSI}?7l${CSI}?2004h${CSI}2J`;
const LEAVE = `${CSI}?2026l${CSI}?2004l${CSI}?7h${CSI}?25h${CSI}?1049l`;

export class TopTerminal {
  #shown: readonly string[] | null = null;
  #isOpen = false;
  readonly #keys: (text: string) => void;
  readonly #resized: () => void;

  constructor(keys: (text: string) => void, resized: () => void) {
    this.#keys = keys;
    this.#resized = resized;
    process.on("exit", () => this.leave());
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const)
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
    process.on("SIGCONT", () => this.#isOpen && this.#reopen());
    process.stdout.on("resize", () => {
      this.#shown = null;
      if (this.#isOpen) this.#resized();
    });
    // The terminal was closed.
    process.stdout.on("error", () => process.exit(1));
    process.stdin.on("error", () => process.exit(1));
    process.stdin.on("end", () => process.exit(1));
    process.stdin.on("data", (bytes: Buffer | string) => {
      if (this.#isOpen) this.#keys(String(bytes));
    });
  }

  get size(): { width: number; height: number } {
    // A terminal without a size, as in some CI systems.
    return { width: process.stdout.columns || 80, height: process.stdout.rows || 24 };
  }

  enter(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#shown = null;
    process.stdin.setRawMode(true);
    process.stdin.setEncoding("utf8");
    process.stdin.resume();
    process.stdout.write(ENTER);
  }

  /** Also at the end of the process, so it writes synchronously, as to every terminal. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      process.stdout.write(LEAVE);
      process.stdin.setRawMode(false);
      process.stdin.pause();
    } catch {
      // The terminal is gone.
    }
  }

  /** Everything is drawn again with the next frame. */
  forget(): void {
    this.#shown = null;
  }

  show(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    const bytes = frameBytes(this.#shown, lines);
    this.#shown = lines;
    if (bytes !== "") process.stdout.write(bytes);
  }

  /** Ctrl-Z: raw mode keeps the terminal from doing this itself. */
  suspend(): void {
    this.leave();
    process.kill(process.pid, "SIGTSTP");
    // Stopped here; continued by `fg`.
    this.#reopen();
  }

  #reopen(): void {
    this.#isOpen = false;
    this.enter();
    this.#resized();
  }
}
