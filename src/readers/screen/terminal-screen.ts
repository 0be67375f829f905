/** The emulator's screen as text. Rows are read anew on `read`, colours only when a rule asks. */
import type { IBufferCell, Terminal } from "@xterm/headless";
import type { ScreenText } from "./screen-text.js";

/** Programs draw with other spaces too (Claude Code after its `⎿`); for a reader a space is a space. */
const ODD_SPACES = /[\u00a0\u2000-\u200a\u202f\u3000]/g;

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
      rows.push(line ? line.translateToString(true).replace(ODD_SPACES, " ").trimEnd() : "");
    }
    this.#rows = rows;
    return rows;
  }

  /** Code in a message has a hue too, but a cold one. */
  tinted(y: number): boolean {
    return this.#mostly(y, isWarm);
  }

  muted(y: number): boolean {
    return this.#mostly(y, isGrey);
  }

  redFrame(y: number): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    for (let x = 0; line && x < Math.min(line.length, 40); x++) {
      this.#cell = line.getCell(x, this.#cell);
      if (this.#cell && this.#cell.getChars().trim() !== "") return isRed(this.#cell);
    }
    return false;
  }

  /** Are more than half of the row's letters drawn so? */
  #mostly(y: number, isSo: (cell: IBufferCell) => boolean): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    let letters = 0;
    let so = 0;
    for (let x = 0; line && x < Math.min(line.length, 80); x++) {
      this.#cell = line.getCell(x, this.#cell);
      const cell = this.#cell;
      if (!cell || !/[\p{L}\p{N}]/u.test(cell.getChars())) continue;
      letters++;
      if (isSo(cell)) so++;
    }
    return letters > 0 && so * 2 > letters;
  }
}

/** Dim, or neither black nor white and without a hue. */
function isGrey(cell: IBufferCell): boolean {
  if (cell.isDim()) return true;
  if (cell.isFgPalette() && (cell.getFgColor() === 8 || cell.getFgColor() >= 232)) return true;
  const [r, g, b] = rgb(cell) ?? [0, 0, 0];
  return Math.max(r, g, b) - Math.min(r, g, b) <= 40 && Math.max(r, g, b) >= 48 && Math.max(r, g, b) <= 208;
}

function isWarm(cell: IBufferCell): boolean {
  const [r, g, b] = rgb(cell) ?? [0, 0, 0];
  return r >= g && r > b && r - Math.min(g, b) > 40;
}

function isRed(cell: IBufferCell): boolean {
  const [r, g, b] = rgb(cell) ?? [0, 0, 0];
  return r - Math.max(g, b) > 40;
}

/** The sixteen colours that a theme may change, by what their names say. */
const NAMED: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
];

/** Foreground as red, green, blue; null for the default colour. */
function rgb(cell: IBufferCell): readonly [number, number, number] | null {
  if (cell.isFgDefault()) return null;
  const colour = cell.getFgColor();
  if (!cell.isFgPalette()) return [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
  if (colour < 16) return NAMED[colour % 8] ?? null;
  if (colour >= 232) return null;
  const cube = colour - 16;
  return [Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51];
}
