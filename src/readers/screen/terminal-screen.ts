/** The emulator's screen as text. Rows are read anew on `read`, colours only when a rule asks. */
import type { IBufferCell, IBufferLine, Terminal } from "@xterm/headless";
import type { ScreenText } from "./screen-text.js";

export class TerminalScreen implements ScreenText {
  readonly #terminal: Terminal;
  #rows: string[] = [];
  #cell: IBufferCell | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get rows(): readonly string[] {
    return this.#rows;
  }

  read(): readonly string[] {
    const buffer = this.#terminal.buffer.active;
    const rows: string[] = [];
    for (let y = 0; y < this.#terminal.rows; y++) {
      const line = buffer.getLine(buffer.baseY + y);
      rows.push(line ? line.translateToString(true).trimEnd() : "");
    }
    this.#rows = rows;
    return rows;
  }

  /** More than half of the row's letters have a foreground with a hue: neither the default nor a grey. */
  tinted(y: number): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    return line !== undefined && this.#hue(line);
  }

  #hue(line: IBufferLine): boolean {
    let letters = 0;
    let coloured = 0;
    for (let x = 0; x < Math.min(line.length, 80); x++) {
      this.#cell = line.getCell(x, this.#cell);
      const cell = this.#cell;
      if (!cell || !/[\p{L}\p{N}]/u.test(cell.getChars())) continue;
      letters++;
      if (isColoured(cell)) coloured++;
    }
    return letters > 0 && coloured * 2 > letters;
  }
}

function isColoured(cell: IBufferCell): boolean {
  if (cell.isFgDefault()) return false;
  const colour = cell.getFgColor();
  if (cell.isFgPalette()) {
    if (colour < 16) return ![0, 7, 8, 15].includes(colour);
    if (colour >= 232) return false;
    const cube = colour - 16;
    return hasHue(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
  }
  return hasHue((colour >> 16) & 255, (colour >> 8) & 255, colour & 255);
}

const hasHue = (r: number, g: number, b: number): boolean => Math.max(r, g, b) - Math.min(r, g, b) > 40;
