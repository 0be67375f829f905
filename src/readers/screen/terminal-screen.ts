/** The emulator's screen as text. Only rows whose characters changed are read again; colours only when a rule asks. */
import type { Terminal } from "@xterm/headless";
import { CHARACTER, IS_COMBINED, NEVER, WIDTH_SHIFT, WORDS_PER_CELL } from "./cells.js";
import { DrawnRows } from "./drawn-rows.js";
import { EmulatorRows } from "./emulator-rows.js";
import { type Row, rowOf, rowOfUnits } from "./row.js";
import type { ScreenText } from "./screen-text.js";

/** Programs draw with other spaces too (Claude Code after its `⎿`); for a reader a space is a space. */
const ODD_SPACES = /[\u00a0\u2000-\u200a\u202f\u3000]/g;
/** Whether a sign is drawn as text or as a picture (Qwen Code writes `◆\ufe0e`) changes nothing of what it says. */
const HOW_DRAWN = /[\ufe0e\ufe0f]/g;
const isHowDrawn = (code: number): boolean => code === 0xfe0e || code === 0xfe0f;
const isOddSpace = (code: number): boolean =>
  code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f || code === 0x3000;

const SPACE = 32;
/** No character, one cell wide. */
const EMPTY_CELL = 1 << WIDTH_SHIFT;
/** Above its character's code, a cell may hold one that is drawn as a space or not at all. */
const PLAIN_MAX = 0x9f;

/** What `trimEnd` takes from the end of a text, of what a cell may hold. */
const isTrimmed = (code: number): boolean =>
  code === SPACE ||
  (code > PLAIN_MAX && (code === 0x1680 || code === 0x2028 || code === 0x2029 || code === 0x205f || code === 0xfeff));

/** The first of the cells behind the last one that holds something. Most of a row is empty: four are looked at at once. */
function endOf(cells: Uint32Array, cols: number): number {
  let end = cols;
  const wordAt = (x: number): number => cells[x * WORDS_PER_CELL] as number;
  while (end >= 4) {
    const four = wordAt(end - 1) | wordAt(end - 2) | wordAt(end - 3) | wordAt(end - 4);
    if ((four & ~EMPTY_CELL) !== 0) break;
    end -= 4;
  }
  while (end > 0 && (wordAt(end - 1) & ~EMPTY_CELL) === 0) end--;
  return end;
}

export class TerminalScreen implements ScreenText {
  readonly #terminal: Terminal;
  readonly #emulator: EmulatorRows;
  readonly #rows: Row[] = [];
  /** The characters of all rows when their texts were built, row by row, each up to its end. */
  #cells = new Uint32Array(0);
  /** Of each row, behind which cell there is nothing; -1 where it was not read yet. */
  #ends = new Int32Array(0);
  #units = new Uint16Array(0);
  /** The same memory: a text is made from it in an eighth of the time that `String.fromCharCode` takes. */
  #bytes = Buffer.alloc(0);
  readonly #textOf = (units: number): string => (units === 0 ? "" : this.#bytes.toString("utf16le", 0, units * 2));
  readonly #drawn: DrawnRows;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#emulator = new EmulatorRows(terminal);
    this.#emulator.watch(terminal.rows);
    this.#drawn = new DrawnRows(terminal, this.#emulator, this.#rows);
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Any row may have changed. */
  touch(): void {
    this.#emulator.touchAll();
  }

  /** Reads what was touched. The rows whose text is another now, from the top; none when nothing changed. */
  read(): readonly Row[] {
    const { rows: height, cols } = this.#terminal;
    // Another height moves every region, so every row counts as changed.
    if (this.#rows.length !== height) this.#rows.length = 0;
    this.#emulator.watch(height);
    if (this.#cells.length !== height * cols || this.#units.length !== cols) {
      this.#cells = new Uint32Array(height * cols);
      this.#ends = new Int32Array(height).fill(-1);
      this.#units = new Uint16Array(cols);
      this.#bytes = Buffer.from(this.#units.buffer);
    }
    const changed: Row[] = [];
    for (let y = 0; y < height; y++) {
      if (!this.#emulator.isTouched(y)) continue;
      this.#drawn.forget(y);
      const cells = this.#emulator.cells(y);
      if (cells && this.#isSame(cells, y, cols)) continue;
      const row = (cells && this.#rowOf(y, cols)) ?? rowOf(this.#told(y).trimEnd());
      if (this.#rows[y]?.text === row.text) continue;
      this.#rows[y] = row;
      changed.push(row);
    }
    this.#emulator.forget();
    return changed;
  }

  /** The row's text as the emulator tells it. */
  #told(y: number): string {
    const buffer = this.#terminal.buffer.active;
    const text = buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? "";
    return text.replace(ODD_SPACES, " ").replace(HOW_DRAWN, "");
  }

  /** Whether the cells hold the characters that are known of row `y`; keeps those that they hold now. */
  #isSame(cells: Uint32Array, y: number, cols: number): boolean {
    const known = this.#cells;
    const from = y * cols;
    const end = endOf(cells, cols);
    let x = 0;
    if (end === this.#ends[y]) {
      while (x < end && known[from + x] === cells[x * WORDS_PER_CELL]) x++;
      if (x === end) return true;
    }
    this.#ends[y] = end;
    for (; x < end; x++) {
      const word = cells[x * WORDS_PER_CELL] as number;
      // Combined characters are kept elsewhere: such a cell is never the same.
      known[from + x] = word & IS_COMBINED ? NEVER : word;
    }
    return false;
  }

  /** The row of the characters that are known of row `y`; null where only the emulator can tell its text. */
  #rowOf(y: number, cols: number): Row | null {
    const cells = this.#cells;
    const units = this.#units;
    const from = y * cols;
    let end = from + (this.#ends[y] as number);
    // A mark that takes no room, with nothing before it to stand on, is not shown where it is the last.
    if (end > from && (cells[end - 1] as number) >>> WIDTH_SHIFT === 0) end--;
    let length = 0;
    for (let n = from; n < end; ) {
      const word = cells[n] as number;
      const character = word & CHARACTER;
      if (character > PLAIN_MAX && (word === NEVER || character > 0xffff || isHowDrawn(character))) return null;
      units[length++] = character === 0 || (character > PLAIN_MAX && isOddSpace(character)) ? SPACE : character;
      n += word >>> WIDTH_SHIFT || 1;
    }
    while (length > 0 && isTrimmed(units[length - 1] as number)) length--;
    return rowOfUnits(units, length, this.#textOf);
  }

  tinted(y: number): boolean {
    return this.#drawn.tinted(y);
  }

  muted(y: number): boolean {
    return this.#drawn.muted(y);
  }

  redFrame(y: number): boolean {
    return this.#drawn.redFrame(y);
  }

  backed(y: number): boolean {
    return this.#drawn.backed(y);
  }

  ghost(y: number): boolean {
    return this.#drawn.ghost(y);
  }

  cursor(y: number): boolean {
    return this.#drawn.cursor(y);
  }

  isPlain(): boolean {
    return this.#drawn.isPlain();
  }
}
