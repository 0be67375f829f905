/**
 * The terminal around `rouse run` and `rouse attach`: raw while the agent has it, and restored however the process
 * ends.
 *
 * `stty` and not Node's raw mode, which leaves the translation of line feeds on: a program that moves the cursor down
 * by a line feed would land in the first column. `stty` also saves and restores every setting.
 */
import { execFileSync } from "node:child_process";

const RAW = ["raw", "-echo", "-iexten"];

export class OuterTerminal {
  #before: string | null = null;
  #isRaw = false;
  readonly #onExit = (): void => this.leave();

  constructor() {
    process.on("exit", this.#onExit);
  }

  size(): { cols: number; rows: number } {
    return { cols: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
  }

  enter(): void {
    if (this.#isRaw) return;
    this.#isRaw = true;
    this.#before = stty(["-g"]);
    if (this.#before === null || stty(RAW) === null) this.#setNodeRaw(true);
    process.stdin.resume();
  }

  leave(): void {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    if (this.#before === null || stty([this.#before]) === null) this.#setNodeRaw(false);
  }

  /** Restores the terminal permanently. */
  close(): void {
    this.leave();
    process.stdin.pause();
    process.off("exit", this.#onExit);
  }

  #setNodeRaw(isRaw: boolean): void {
    try {
      process.stdin.setRawMode(isRaw);
    } catch {
      // The terminal itself is gone.
    }
  }
}

/** Runs `stty` on the terminal at standard input. Null if there is no `stty` or no terminal. */
function stty(args: string[]): string | null {
  try {
    return execFileSync("stty", args, { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8", timeout: 2000 }).trim();
  } catch {
    return null;
  }
}
