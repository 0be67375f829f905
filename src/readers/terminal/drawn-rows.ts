/** How the emulator's rows are drawn: their colours, and the position of the cursor. Computed only if a rule asks. */
import type { IBufferCell, Terminal } from "@xterm/headless";
import { groundOf, isGrey, isRed, isWarm } from "./colours.js";
import type { ScreenRow } from "./row.js";

const isLetter = (characters: string): boolean => /[\p{L}\p{N}]/u.test(characters);

interface Colours {
  tinted?: boolean;
  muted?: boolean;
  redFrame?: boolean;
  backed?: boolean;
  cursor?: boolean;
  /** For the cursor in this column of the row; null if it is in another row. */
  ghost?: { cursor: number | null; isSo: boolean };
}

export class DrawnRows {
  readonly #terminal: Terminal;
  readonly #rows: readonly ScreenRow[];
  /** Results for a row since its last change. */
  readonly #colours: (Colours | undefined)[] = [];
  #cell: IBufferCell | undefined;
  #sawColour = false;

  constructor(terminal: Terminal, rows: readonly ScreenRow[]) {
    this.#terminal = terminal;
    this.#rows = rows;
  }

  /** Row `y` was written. */
  forget(y: number): void {
    this.#colours[y] = undefined;
  }

  /** Code in a message is coloured too, but in a cold colour. */
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

  /** With `NO_COLOR`, or in a terminal without colours, an error is drawn like any other text. */
  isPlain(): boolean {
    for (let y = 0; y < this.#rows.length && !this.#sawColour; y++) this.#sawColour = this.#hasColour(y);
    return !this.#sawColour;
  }

  #hasColour(y: number): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    for (let x = 0; line && x < line.length; x++) {
      this.#cell = line.getCell(x, this.#cell);
      if (this.#cell?.isFgDefault() === false) return true;
    }
    return false;
  }

  /** Programs that hide the cursor draw their own: one character with inverted colours. */
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

  /** All letters are grey, and the cursor is at the first: a sign of two columns may be counted as one. */
  #isGhost(y: number, cursor: number | null): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    let first: number | null = null;
    for (let x = 0; line && cursor !== null && x < line.length; x++) {
      this.#cell = line.getCell(x, this.#cell);
      const cell = this.#cell;
      if (!cell || !isLetter(cell.getChars())) continue;
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

  /**
   * Some programs paint the whole screen: the background of the first cell of most rows is not a background of its own.
   */
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

  /** Are more than half of the row's letters drawn this way? */
  #mostly(y: number, isSo: (cell: IBufferCell) => boolean): boolean {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    let letters = 0;
    let so = 0;
    for (let x = 0; line && x < Math.min(line.length, 80); x++) {
      this.#cell = line.getCell(x, this.#cell);
      const cell = this.#cell;
      if (!cell || !isLetter(cell.getChars())) continue;
      letters++;
      if (isSo(cell)) so++;
    }
    return letters > 0 && so * 2 > letters;
  }
}
