/**
 * A terminal's screen as text that any terminal may show: our own sequences only (cursor, colours, line clear), the characters
 * of the cells without control bytes, and secrets masked. Nothing that a program wrote reaches a viewer as a sequence.
 */
import type { IBufferCell, Terminal } from "@xterm/headless";
import { redact } from "../../core/text/redact.js";
import { sanitizeLine } from "../../core/text/sanitize.js";

interface DrawnCell {
  text: string;
  style: string;
}

export interface ScreenFrame {
  cols: number;
  rows: number;
  text: string;
}

export class ScreenFrames {
  readonly #terminal: Terminal;
  /** Drawn rows as last sent. */
  #sent: string[] = [];
  #cursor = "";
  #size = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** The whole screen. */
  whole(): ScreenFrame {
    this.#sent = [];
    this.#size = "";
    return this.#frame(this.#drawn(), true);
  }

  /** What has changed since the last frame; null if nothing. A new size needs the whole screen. */
  changes(): { frame: ScreenFrame; full: boolean } | null {
    const { cols, rows } = this.#terminal;
    if (this.#size !== `${cols}x${rows}`) return { frame: this.whole(), full: true };
    const drawn = this.#drawn();
    const cursor = this.#cursorText();
    if (cursor === this.#cursor && drawn.every((row, y) => row === this.#sent[y])) return null;
    return { frame: this.#frame(drawn, false), full: false };
  }

  #frame(drawn: string[], isWhole: boolean): ScreenFrame {
    const { cols, rows } = this.#terminal;
    const changed = drawn.flatMap((row, y) =>
      !isWhole && row === this.#sent[y] ? [] : [`\u001b[${y + 1};1H\u001b[0m\u001b[2K${row}`],
    );
    this.#sent = drawn;
    this.#size = `${cols}x${rows}`;
    this.#cursor = this.#cursorText();
    return { cols, rows, text: `${isWhole ? "\u001b[0m\u001b[2J" : ""}${changed.join("")}\u001b[0m${this.#cursor}` };
  }

  #cursorText(): string {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return `\u001b[${cursorY + 1};${Math.min(cursorX, this.#terminal.cols - 1) + 1}H`;
  }

  #drawn(): string[] {
    const { rows } = this.#terminal;
    const buffer = this.#terminal.buffer.active;
    const lines = Array.from({ length: rows }, (_, y) => this.#cells(buffer.baseY + y));
    const drawn: string[] = [];
    for (let y = 0; y < rows; ) {
      let end = y + 1;
      while (end < rows && buffer.getLine(buffer.baseY + end)?.isWrapped) end++;
      // Wrapped rows are searched as one: half of a secret would not be recognised.
      const joined = lines.slice(y, end);
      maskSecrets(joined);
      drawn.push(...joined.map(rowText));
      y = end;
    }
    return drawn;
  }

  #cells(y: number): DrawnCell[] {
    const line = this.#terminal.buffer.active.getLine(y);
    const cells: DrawnCell[] = [];
    for (let x = 0; line && x < this.#terminal.cols; x++) {
      const cell = line.getCell(x);
      if (!cell || cell.getWidth() === 0) continue;
      cells.push({ text: sanitizeLine(cell.getChars()).replaceAll(" ", "") || " ", style: styleOf(cell) });
    }
    let last = cells.length;
    while (last > 0 && cells[last - 1]?.text === " " && cells[last - 1]?.style === "") last--;
    return cells.slice(0, last);
  }
}

/** A mask has the length of its secret. */
function maskSecrets(rows: readonly DrawnCell[][]): void {
  const text = rows.map((row) => row.map((cell) => cell.text).join("")).join("");
  const masked = redact(text);
  if (masked === text || masked.length !== text.length) return;
  let at = 0;
  for (const cell of rows.flat()) {
    const { length } = cell.text;
    const now = masked.slice(at, at + length);
    if (now !== cell.text) cell.text = "*";
    at += length;
  }
}

function rowText(cells: readonly DrawnCell[]): string {
  let text = "";
  let style = "";
  for (const cell of cells) {
    if (cell.style !== style) text += cell.style === "" ? "\u001b[0m" : `\u001b[0;${cell.style}m`;
    style = cell.style;
    text += cell.text;
  }
  return text;
}

const FLAGS = [
  ["isBold", 1],
  ["isDim", 2],
  ["isItalic", 3],
  ["isUnderline", 4],
  ["isInverse", 7],
  ["isStrikethrough", 9],
] as const;

function styleOf(cell: IBufferCell): string {
  const codes: (number | string)[] = FLAGS.flatMap(([flag, code]) => (cell[flag]() ? [code] : []));
  if (!cell.isFgDefault()) codes.push(`38;5;${paletteOf(cell.getFgColor(), cell.isFgRGB())}`);
  if (!cell.isBgDefault()) codes.push(`48;5;${paletteOf(cell.getBgColor(), cell.isBgRGB())}`);
  return codes.join(";");
}

const CUBE = [0, 95, 135, 175, 215, 255];

/**
 * The nearest of the 256 colours: the page shows those by a class. A colour of its own would need a style attribute, which
 * the page's policy refuses.
 */
function paletteOf(colour: number, isRgb: boolean): number {
  if (!isRgb) return colour;
  const wanted = [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
  const steps = wanted.map(nearestStep);
  const cube = steps.map((step) => CUBE[step] ?? 0);
  const mean = wanted.reduce((sum, one) => sum + one, 0) / 3;
  const grey = Math.max(0, Math.min(23, Math.round((mean - 8) / 10)));
  const distance = (to: readonly number[]): number =>
    wanted.reduce((sum, one, i) => sum + (one - (to[i] ?? 0)) ** 2, 0);
  return distance(Array(3).fill(8 + 10 * grey)) < distance(cube)
    ? 232 + grey
    : 16 + steps.reduce((sum, step) => sum * 6 + step, 0);
}

const nearestStep = (value: number): number =>
  CUBE.reduce((best, step, i) => (Math.abs(step - value) < Math.abs((CUBE[best] ?? 0) - value) ? i : best), 0);
