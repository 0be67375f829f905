/** The emulator's screen as text. Only rows whose characters changed are read again; colours only when a rule asks. */
import type { IBufferCell, Terminal } from "@xterm/headless";
import { groundOf, isGrey, isRed, isWarm } from "./colours.js";
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

/** Of a cell, the first word holds its character, its width and whether characters were combined. */
const WORDS_PER_CELL = 3;
const CHARACTER = 0x1f_ffff;
const IS_COMBINED = 1 << 21;
const WIDTH_SHIFT = 22;
const SPACE = 32;
/** Of a cell's second word: whether its character has a colour. */
const COLOUR = 3 << 24;
/** No character, one cell wide. */
const EMPTY_CELL = 1 << WIDTH_SHIFT;
/** No cell has this: its character would lie beyond Unicode. */
const NEVER = 0xffff_ffff;
/** Above its character's code, a cell may hold one that is drawn as a space or not at all. */
const PLAIN_MAX = 0x9f;

/** What `trimEnd` takes from the end of a text, of what a cell may hold. */
const isTrimmed = (code: number): boolean =>
  code === SPACE ||
  (code > PLAIN_MAX && (code === 0x1680 || code === 0x2028 || code === 0x2029 || code === 0x205f || code === 0xfeff));

const isPlainLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

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

interface Colours {
  tinted?: boolean;
  muted?: boolean;
  redFrame?: boolean;
  backed?: boolean;
  cursor?: boolean;
  /** With the cursor in this column of the row, or in none. */
  ghost?: { cursor: number | null; isSo: boolean };
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
  /** What was asked of a row's colours since it was last touched. */
  #colours: (Colours | undefined)[] = [];
  #cell: IBufferCell | undefined;
  #sawColour = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#emulator = new EmulatorRows(terminal);
    this.#emulator.watch(terminal.rows);
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
      this.#colours[y] = undefined;
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

  /** Code in a message has a hue too, but a cold one. */
  tinted(y: number): boolean {
    const known = this.#coloursOf(y);
    known.tinted ??= this.#mostly(y, isWarm);
    return known.tinted;
  }

  muted(y: number): boolean {
    const known = this.#coloursOf(y);
    known.muted ??= this.#mostly(y, isGrey);
    return known.muted;
  }

  redFrame(y: number): boolean {
    const known = this.#coloursOf(y);
    known.redFrame ??= this.#beginsRed(y);
    return known.redFrame;
  }

  backed(y: number): boolean {
    const known = this.#coloursOf(y);
    known.backed ??= this.#mostly(y, (cell) => !cell.isBgDefault()) && this.#groundOf(y) !== this.#commonGround();
    return known.backed;
  }

  ghost(y: number): boolean {
    const known = this.#coloursOf(y);
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    const cursor = cursorY === y ? cursorX : null;
    if (known.ghost?.cursor !== cursor) known.ghost = { cursor, isSo: this.#isGhost(y, cursor) };
    return known.ghost.isSo;
  }

  cursor(y: number): boolean {
    if (this.#terminal.buffer.active.cursorY === y) return true;
    const known = this.#coloursOf(y);
    known.cursor ??= /^[^▏▎▍▌▋▊▉█]*[▏▎▍▌▋▊▉█][^▏▎▍▌▋▊▉█]*$/.test(this.#rows[y]?.text ?? "") || this.#hasInvertedCell(y);
    return known.cursor;
  }

  /** With `NO_COLOR`, or in a terminal without any, an error is drawn like all the rest. */
  isPlain(): boolean {
    for (let y = 0; y < this.#rows.length && !this.#sawColour; y++) this.#sawColour = this.#hasColour(y);
    return !this.#sawColour;
  }

  #hasColour(y: number): boolean {
    const words = this.#emulator.cells(y);
    if (words) {
      const end = this.#terminal.cols * WORDS_PER_CELL;
      for (let n = 1; n < end; n += WORDS_PER_CELL) if ((words[n] as number) & COLOUR) return true;
      return false;
    }
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    for (let x = 0; line && x < line.length; x++) {
      this.#cell = line.getCell(x, this.#cell);
      if (this.#cell?.isFgDefault() === false) return true;
    }
    return false;
  }

  /** Programs that hide the cursor draw their own: one character with its colours changed over. */
  #hasInvertedCell(y: number): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    let inverted = 0;
    for (let x = 0; line && x < line.length; x++) {
      this.#cell = line.getCell(x, this.#cell);
      if (this.#cell?.isInverse()) inverted += Math.max(1, this.#cell.getWidth());
    }
    return inverted === 1 || inverted === 2;
  }

  /** All letters are grey, and the cursor stands at the first: a sign that takes two columns may be counted as one. */
  #isGhost(y: number, cursor: number | null): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    let first: number | null = null;
    for (let x = 0; line && cursor !== null && x < line.length; x++) {
      this.#cell = line.getCell(x, this.#cell);
      const cell = this.#cell;
      if (!cell || !/[\p{L}\p{N}]/u.test(cell.getChars())) continue;
      if (!isGrey(cell)) return false;
      first ??= x;
    }
    return first !== null && cursor !== null && Math.abs(cursor - first) <= 1;
  }

  /** The colour behind the row's first letter. */
  #groundOf(y: number): number | null {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    for (let x = 0; line && x < line.length; x++) {
      this.#cell = line.getCell(x, this.#cell);
      if (this.#cell && this.#cell.getChars().trim() !== "") return groundOf(this.#cell);
    }
    return null;
  }

  /** Some paint the whole screen: what is behind the first cell of most rows is no ground of its own. */
  #commonGround(): number | null {
    const buffer = this.#terminal.buffer.active;
    const counts = new Map<number, number>();
    for (let y = 0; y < this.#rows.length; y++) {
      this.#cell = buffer.getLine(buffer.baseY + y)?.getCell(0, this.#cell);
      if (!this.#cell) continue;
      const ground = groundOf(this.#cell);
      const count = (counts.get(ground) ?? 0) + 1;
      if (count * 2 > this.#rows.length) return ground;
      counts.set(ground, count);
    }
    return null;
  }

  #coloursOf(y: number): Colours {
    this.#colours[y] ??= {};
    return this.#colours[y];
  }

  #beginsRed(y: number): boolean {
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
    const words = this.#emulator.cells(y);
    let letters = 0;
    let so = 0;
    for (let x = 0; line && x < Math.min(line.length, 80); x++) {
      const word = words?.[x * WORDS_PER_CELL] ?? NEVER;
      const isPlain = (word & IS_COMBINED) === 0 && (word & CHARACTER) < 128;
      if (isPlain && !isPlainLetter(word & CHARACTER)) continue;
      this.#cell = line.getCell(x, this.#cell);
      const cell = this.#cell;
      if (!cell || !(isPlain || /[\p{L}\p{N}]/u.test(cell.getChars()))) continue;
      letters++;
      if (isSo(cell)) so++;
    }
    return letters > 0 && so * 2 > letters;
  }
}
