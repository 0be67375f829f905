/**
 * The emulator with its guard: the only place that creates one and writes to it. It sends no answers: it has no way back
 * to the program.
 */
import { createRequire } from "node:module";
import type * as Xterm from "@xterm/headless";
import { EmulatorGuard } from "./emulator-guard.js";
import { type ScreenSize, SWITCH } from "./sequence-costs.js";

/** Not by `import`: the search for its export names takes Node.js 20 to 70 ms at start-up. */
const xterm = createRequire(import.meta.url)("@xterm/headless") as typeof Xterm;

/** The largest terminal that can be read. */
export const SIZE_MAX: ScreenSize = { cols: 1000, rows: 500 };
/** Ends a sequence that may be open, and clears the screen with all modes. */
const RESET = Buffer.from("\u0018\u001bc");

export class BoundedTerminal {
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  readonly #guard: EmulatorGuard;
  /** The size that the terminal gets with the next output. */
  #wanted: ScreenSize;

  constructor(size: ScreenSize, scrollback: number) {
    this.#wanted = clamped(size);
    // It would write input that it cannot parse to standard error.
    const options = { scrollback, allowProposedApi: true, logLevel: "off" } as const;
    this.terminal = new xterm.Terminal({ ...this.#wanted, ...options });
    this.#guard = new EmulatorGuard(this.terminal);
  }

  /** Parsed when this returns. */
  write(bytes: Uint8Array): void {
    if (this.#guard.spend(() => this.#costOfFit())) this.fit();
    this.#parse(bytes);
    if (!this.#guard.hasPiledMarks()) return;
    this.#guard.refill();
    this.#parse(RESET);
  }

  /** A span of time has passed: the program may order as much work again. */
  refill(): void {
    this.#guard.refill();
  }

  /** Takes effect with the next output or `fit`: of a storm of changes only the last costs work. */
  resize(size: ScreenSize): void {
    this.#wanted = clamped(size);
  }

  fit(): void {
    if (this.#costOfFit() > 0) this.terminal.resize(this.#wanted.cols, this.#wanted.rows);
  }

  dispose(): void {
    this.terminal.dispose();
  }

  #costOfFit(): number {
    const { cols, rows } = this.terminal;
    const isSame = cols === this.#wanted.cols && rows === this.#wanted.rows;
    return isSame ? 0 : SWITCH({ cols, rows }) + SWITCH(this.#wanted);
  }

  #parse(bytes: Uint8Array): void {
    // An empty input marks the next write as an answer to a user, which the emulator parses at once instead of in a
    // timer. Without it each check would wait a millisecond for the timer, which is half of the time of a replay.
    this.terminal.input("", true);
    this.terminal.write(bytes);
  }
}

const clamped = ({ cols, rows }: ScreenSize): ScreenSize => ({
  cols: clamp(cols, 2, SIZE_MAX.cols),
  rows: clamp(rows, 2, SIZE_MAX.rows),
});

const clamp = (n: number, low: number, high: number): number => Math.max(low, Math.min(high, Math.floor(n) || low));
