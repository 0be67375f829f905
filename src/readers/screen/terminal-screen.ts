/** The emulator's screen as text. Only rows whose characters changed are read again; colours only when a rule asks. */
import type { IBufferCell, IBufferLine, Terminal } from "@xterm/headless";
import type { ScreenText } from "./screen-text.js";

/** Programs draw with other spaces too (Claude Code after its `⎿`); for a reader a space is a space. */
const ODD_SPACES = /[\u00a0\u2000-\u200a\u202f\u3000]/g;
/** Whether a sign is drawn as text or as a picture (Qwen Code writes `◆\ufe0e`) changes nothing of what it says. */
const HOW_DRAWN = /[\ufe0e\ufe0f]/g;

/**
 * The emulator knows which rows a write may have touched, and keeps a row's cells in one array. Its public face shows
 * neither, and building the text of 40 rows takes ten times as long as parsing what came since the last look. So this
 * looks inside for both; where another release has nothing there, every row is built anew, with the same result.
 */
interface Inside {
  _core?: {
    _inputHandler?: {
      onRequestRefreshRows?: (heard: (range: { start: number; end: number } | undefined) => void) => unknown;
    };
  };
}
interface LineInside {
  /** Three words a cell; the first holds its character, its width and whether characters were combined. */
  _line?: { _data?: Uint32Array };
}
const WORDS_PER_CELL = 3;
const CHARACTER = 0x1f_ffff;
const IS_COMBINED = 1 << 21;
const WIDTH_SHIFT = 22;
const SPACE = 32;
/** No character, one cell wide. */
const EMPTY_CELL = 1 << WIDTH_SHIFT;
/** No cell has this: its character would lie beyond Unicode. */
const NEVER = 0xffff_ffff;

export class TerminalScreen implements ScreenText {
  readonly #terminal: Terminal;
  readonly #rows: string[] = [];
  /** The characters of each row when its text was built. */
  readonly #cells: Uint32Array[] = [];
  #units = new Uint16Array(0);
  #from = 0;
  #to = Number.POSITIVE_INFINITY;
  #tracked = false;
  #cell: IBufferCell | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    const handler = (terminal as unknown as Inside)._core?._inputHandler;
    if (!handler?.onRequestRefreshRows) return;
    this.#tracked = true;
    // A request without a range is the end of a synchronised update, whose rows are named by others, or a change of the
    // buffer, whose rows are named within its scroll region only.
    handler.onRequestRefreshRows((range) => range && this.touch(range.start, range.end));
    terminal.buffer.onBufferChange(() => this.touch());
  }

  get rows(): readonly string[] {
    return this.#rows;
  }

  /** These rows may have changed; all of them when none are named. */
  touch(from = 0, to = Number.POSITIVE_INFINITY): void {
    if (from < this.#from) this.#from = from;
    if (to > this.#to) this.#to = to;
  }

  /** Reads what was touched. The rows whose text is another now, from the top; none when nothing changed. */
  read(): readonly string[] {
    const buffer = this.#terminal.buffer.active;
    const height = this.#terminal.rows;
    // Another height moves every region, so every row counts as changed.
    if (this.#rows.length !== height) this.#rows.length = this.#cells.length = 0;
    if (!this.#tracked || this.#rows.length === 0) this.touch();
    const changed: string[] = [];
    const last = Math.min(this.#to, height - 1);
    for (let y = this.#from; y <= last; y++) {
      const line = buffer.getLine(buffer.baseY + y);
      if (line && this.#isSame(y, line)) continue;
      const drawn = this.#textOf(y) ?? line?.translateToString(true) ?? "";
      const text = drawn.replace(ODD_SPACES, " ").replace(HOW_DRAWN, "").trimEnd();
      if (this.#rows[y] === text) continue;
      this.#rows[y] = text;
      changed.push(text);
    }
    this.#from = Number.POSITIVE_INFINITY;
    this.#to = Number.NEGATIVE_INFINITY;
    return changed;
  }

  /** Whether the row has the characters it had when it was last asked; keeps those it has now. */
  #isSame(y: number, line: IBufferLine): boolean {
    const data = (line as LineInside)._line?._data;
    if (!data) return false;
    const cells = Math.floor(data.length / WORDS_PER_CELL);
    const known = this.#cells[y];
    if (known?.length === cells) {
      let x = 0;
      while (x < cells && known[x] === data[x * WORDS_PER_CELL]) x++;
      if (x === cells) return true;
    }
    this.#cells[y] = charactersOf(data, known?.length === cells ? known : new Uint32Array(cells));
    return false;
  }

  /** The row's text from its characters; null where only the emulator can tell it. */
  #textOf(y: number): string | null {
    const cells = this.#cells[y];
    if (!cells) return null;
    let length = cells.length;
    while (length > 0 && (cells[length - 1] === 0 || cells[length - 1] === EMPTY_CELL)) length--;
    if (this.#units.length < length) this.#units = new Uint16Array(cells.length);
    let units = 0;
    for (let x = 0; x < length; ) {
      const word = cells[x] as number;
      const character = word & CHARACTER;
      if (word === NEVER || character > 0xffff) return null;
      this.#units[units++] = character || SPACE;
      x += word >>> WIDTH_SHIFT || 1;
    }
    return String.fromCharCode.apply(null, this.#units.subarray(0, units) as unknown as number[]);
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

/** Combined characters are kept elsewhere: such a cell is never the same. */
function charactersOf(data: Uint32Array, into: Uint32Array): Uint32Array {
  for (let x = 0; x < into.length; x++) {
    const word = data[x * WORDS_PER_CELL] as number;
    into[x] = word & IS_COMBINED ? NEVER : word;
  }
  return into;
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
