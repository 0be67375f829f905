/**
 * The terminal around `rouse run` and `rouse attach`: raw while the agent has it, and restored however the process
 * ends.
 *
 * `stty` and not Node's raw mode, which leaves the translation of line feeds on: a program that moves the cursor down
 * by a line feed would land in the first column. `stty` also saves and restores every setting.
 */
import { execFileSync } from "node:child_process";
import { findPerl } from "./job-keeper.js";
import type { PixelSize } from "./pty.js";

const RAW = ["raw", "-echo", "-iexten"];
/** `TIOCGWINSZ`: Node.js gives columns and rows only. */
const WINDOW_SIZE: Readonly<Record<string, string>> = { linux: "21523", darwin: "1074295912" };
const READ_SIZE = 'my $size = pack("S4"); ioctl(STDIN, $ARGV[0], $size) and print join(" ", unpack("S4", $size));';

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

  /** The size in pixels, if the terminal reports one and Perl can read it. */
  pixels(): PixelSize | undefined {
    const perl = findPerl(process.env);
    const request = WINDOW_SIZE[process.platform];
    if (perl === null || request === undefined) return undefined;
    const [, , width = 0, height = 0] = (output(perl, ["-e", READ_SIZE, request]) ?? "").split(" ").map(Number);
    return width > 0 && height > 0 ? { width, height } : undefined;
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

/** Runs a program on the terminal at standard input. Null if there is no such program or no terminal. */
const stty = (args: string[]): string | null => output("stty", args);

function output(file: string, args: string[]): string | null {
  try {
    return execFileSync(file, args, { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8", timeout: 2000 }).trim();
  } catch {
    return null;
  }
}
