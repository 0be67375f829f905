/**
 * The lines that a program prints, as the terminal shows them. A script, a build or a headless agent only prints; a
 * program that draws a screen moves its cursor up or to a position, and its lines are those of a picture.
 */
import type { Terminal } from "@xterm/headless";

/** Lines read at one check: under a flood the rest is skipped. */
const LINES_MAX = 400;
const WRAPPED_MAX = 4;
/** Also blank lines cost as much as they are wide: about 10 ms. */
const CELLS_MAX = 500_000;

export class PrintedLines {
  readonly #terminal: Terminal;
  #lines: string[] = [];
  /** Cells read since the last `take`. */
  #cells = 0;
  /** Lines since the cursor was last placed; infinite if it never was. */
  #since = Number.POSITIVE_INFINITY;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    const place = (params: (number | number[])[]): boolean => {
      // Clearing the screen starts at its first cell.
      if (params.some((param) => Number(param) > 1)) this.#since = 0;
      return false;
    };
    const up = (): boolean => {
      this.#since = 0;
      return false;
    };
    for (const final of ["A", "F", "M", "L"]) terminal.parser.registerCsiHandler({ final }, up);
    for (const final of ["H", "f", "d"]) terminal.parser.registerCsiHandler({ final }, place);
    terminal.buffer.onBufferChange(up);
    terminal.onLineFeed(() => this.#lineFeed());
  }

  /** It only prints: the last picture, if there was one, has scrolled away. */
  get isPrinter(): boolean {
    return this.#terminal.buffer.active.type === "normal" && this.#since > this.#terminal.rows;
  }

  /** The complete lines since the last call, oldest first. */
  take(): string[] {
    this.#cells = 0;
    return this.#lines.splice(0);
  }

  #lineFeed(): void {
    this.#since++;
    if (!this.isPrinter || this.#lines.length >= LINES_MAX || this.#cells >= CELLS_MAX) return;
    const buffer = this.#terminal.buffer.active;
    let y = buffer.baseY + buffer.cursorY - 1;
    let text = buffer.getLine(y)?.translateToString(true) ?? "";
    this.#cells += this.#terminal.cols;
    for (let n = 0; n < WRAPPED_MAX && y > 0 && buffer.getLine(y)?.isWrapped; n++) {
      y--;
      text = (buffer.getLine(y)?.translateToString(false) ?? "") + text;
      this.#cells += this.#terminal.cols;
    }
    if (text.trim() !== "") this.#lines.push(text.trimEnd());
  }
}
