/**
 * Keeps the emulator's work and memory bounded, whatever a program prints.
 *
 * The emulator loops over the parameters of some sequences (13 bytes, `ESC [ 2147483647 L`, kept it busy for 80 minutes)
 * and remembers hyperlinks and combining marks without a bound. The guard stands between its parser and what the parser
 * calls: counts are clamped to the screen, strings that rouse does not read are not collected, and of the sequences that
 * cost more than their bytes only as many are obeyed between two calls of `refill` as fit into `WORK_MAX`. What is obeyed
 * depends on the bytes alone, not on their chunks or on the machine.
 *
 * A filter over the bytes would need no private fields of the emulator, but it took a sixth of the time of reading a
 * terminal (2.8 ns a byte, the emulator 10); this costs nothing measurable. Without the fields it throws.
 */
import type { Terminal } from "@xterm/headless";
import * as cost from "./sequence-costs.js";
import { type CharacterWidths, limitMarks, MARKS_MAX, widthOf } from "./unicode-marks.js";

/** Nanoseconds. A program that clears and draws 120 × 40 cells sixty times a second needs a tenth of it. */
const WORK_MAX = 15e6;
/** A cell with more text than this has piled up marks. */
const CELL_CHARS_MAX = 8 * MARKS_MAX;

/** The emulator's parameters of a sequence, as its own handlers get them: a change counts for the next handler. */
interface Params {
  readonly length: number;
  readonly params: Int32Array;
}

interface SequenceId {
  prefix?: string;
  intermediates?: string;
  final: string;
}

type PrintHandler = (data: Uint32Array, start: number, end: number) => void;

/** Handlers return true if they have dealt with the sequence; the one that was registered last is called first. */
interface Parser {
  registerCsiHandler(id: SequenceId, handler: (params: Params) => boolean): void;
  registerEscHandler(id: SequenceId, handler: () => boolean): void;
  setExecuteHandler(control: string, handler: () => boolean): void;
  setPrintHandler(handler: PrintHandler): void;
  clearOscHandler(id: number): void;
  clearDcsHandler(id: SequenceId): void;
  readonly _executeHandlers: Record<number, () => boolean>;
  readonly _printHandler: PrintHandler;
  /** The properties of the character before, if nothing was in between. */
  readonly precedingJoinState: number;
}

interface Core {
  readonly _inputHandler: { readonly _parser: Parser };
  readonly unicodeService: { readonly _activeProvider: CharacterWidths };
  readonly coreService: { readonly modes: { readonly insertMode: boolean } };
  readonly buffer: { readonly y: number; readonly scrollTop: number; readonly scrollBottom: number };
}

/** Colours, hyperlinks, icon names: rouse reads titles (0, 2) and the program's own status (7501). */
const UNREAD_STRINGS = [1, 4, 8, 10, 11, 12, 104, 110, 111, 112];
const LINE_FEEDS = ["\n", "\v", "\f", "\u0084", "\u0085"];
const ALTERNATE_MODES = [47, 1047, 1049];

export class EmulatorGuard {
  readonly #terminal: Terminal;
  readonly #core: Core;
  readonly #parser: Parser;
  readonly #print: PrintHandler;
  #work = WORK_MAX;
  #hasOwnTabs = false;
  /** Lines did not wrap at some time since the last `clearPiledMarks`. */
  #wasUnwrapped = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#core = (terminal as unknown as { _core: Core })._core;
    this.#parser = this.#core._inputHandler._parser;
    this.#print = this.#parser._printHandler;
    limitMarks(terminal.unicode, this.#core.unicodeService._activeProvider);
    for (const id of UNREAD_STRINGS) this.#parser.clearOscHandler(id);
    this.#parser.clearDcsHandler({ intermediates: "$", final: "q" });
    this.#guardCounts();
    this.#guardScreen();
    this.#guardModes();
    this.#guardLineFeeds();
  }

  /** A span of time has passed. */
  refill(): void {
    this.#work = WORK_MAX;
  }

  /** Takes the cost from the work that is left; false if it is too much. */
  spend(of: cost.Cost, times = 1): boolean {
    const ns = of(this.#terminal) * times;
    if (ns > this.#work) return false;
    this.#work -= ns;
    return true;
  }

  /**
   * Without wrapping, the emulator leaves out a wide character that does not fit, and gives its marks to the character
   * before, again and again. True if that has happened: the screen has to be reset.
   */
  hasPiledMarks(): boolean {
    if (!this.#wasUnwrapped) return false;
    const { buffer, cols, rows, modes } = this.#terminal;
    this.#wasUnwrapped = !modes.wraparoundMode;
    const isPile = (chars: string | undefined): boolean => (chars?.length ?? 0) > CELL_CHARS_MAX;
    return [buffer.normal, buffer.alternate].some((screen) => {
      const lines = Array.from({ length: rows }, (_, y) => screen.getLine(screen.baseY + y));
      return lines.some((line) => isPile(line?.getCell(cols - 2)?.getChars()));
    });
  }

  /** The first parameter is a count: it is limited by `max`, and the sequence costs `once` and `each` per count. */
  #count(id: SequenceId, max: () => number, each: cost.Cost, once: cost.Cost = FREE): void {
    this.#parser.registerCsiHandler(id, ({ params }) => {
      const limit = max();
      if ((params[0] as number) > limit) params[0] = limit;
      return !(this.spend(once) && this.spend(each, params[0] || 1));
    });
  }

  #guardCounts(): void {
    const cols = (): number => this.#terminal.cols;
    const rows = (): number => this.#terminal.rows;
    for (const final of ["L", "M", "S", "T"]) this.#count({ final }, rows, cost.SCROLL_LINE);
    for (const final of ["@", "P"]) this.#count({ final }, cols, FREE, cost.SHIFT_LINE);
    for (const final of ["I", "Z"]) this.#count({ final }, cols, FREE, cost.TAB);
    this.#count({ final: "X" }, cols, FREE, cost.ERASE_LINE);
    for (const id of [
      { intermediates: " ", final: "@" },
      { intermediates: " ", final: "A" },
      { intermediates: "'", final: "}" },
      { intermediates: "'", final: "~" },
    ])
      this.#count(id, cols, FREE, cost.SHIFT_COLUMNS);
    const cells = (): number => Math.ceil((cols() * rows()) / this.#repeatedLength());
    this.#count({ final: "b" }, cells, () => cost.REPEAT * this.#repeatedLength());
  }

  #guardScreen(): void {
    const charge = (id: SequenceId, of: cost.Cost): void => this.#parser.registerCsiHandler(id, () => !this.spend(of));
    for (const prefix of ["", "?"]) {
      charge({ prefix, final: "J" }, cost.ERASE);
      charge({ prefix, final: "K" }, cost.ERASE_LINE);
      this.#parser.registerCsiHandler({ prefix, final: "J" }, ({ params }) => params[0] === 1 && this.#wouldThrow());
    }
    this.#parser.registerEscHandler({ final: "c" }, () => !this.spend(cost.RESET));
    this.#parser.registerEscHandler({ intermediates: "#", final: "8" }, () => !this.spend(cost.FILL));
    for (const final of ["D", "E"]) this.#parser.registerEscHandler({ final }, () => !this.#spendOnLineFeed());
    this.#parser.registerEscHandler({ final: "M" }, () => !this.#spendOnReverseLineFeed());
  }

  #guardModes(): void {
    const has = ({ params, length }: Params, mode: number): boolean => {
      const at = params.indexOf(mode);
      return at >= 0 && at < length;
    };
    for (const final of ["h", "l"]) {
      this.#parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (has(params, 7)) this.#wasUnwrapped = true;
        return ALTERNATE_MODES.some((mode) => has(params, mode)) && !this.spend(cost.SWITCH);
      });
    }
    this.#parser.registerCsiHandler({ final: "h" }, (params) => {
      if (has(params, 4)) this.#guardInserts();
      return false;
    });
    this.#parser.registerCsiHandler({ final: "g" }, () => {
      if (!this.#hasOwnTabs) this.#guardControl("\t", () => this.spend(cost.TAB));
      this.#hasOwnTabs = true;
      return false;
    });
  }

  #guardLineFeeds(): void {
    for (const control of LINE_FEEDS) this.#guardControl(control, () => this.#spendOnLineFeed());
  }

  #guardControl(control: string, spend: () => boolean): void {
    const obey = this.#parser._executeHandlers[control.charCodeAt(0)];
    if (!obey) throw new TypeError(`the emulator has no handler for ${JSON.stringify(control)}`);
    this.#parser.setExecuteHandler(control, () => !spend() || obey());
  }

  /** In insert mode each character moves the rest of its line. */
  #guardInserts(): void {
    const print = this.#print;
    this.#parser.setPrintHandler((data, start, end) => {
      if (!this.#core.coreService.modes.insertMode) this.#parser.setPrintHandler(print);
      else if (!this.spend(cost.SHIFT_LINE, end - start)) return;
      print(data, start, end);
    });
  }

  #spendOnLineFeed(): boolean {
    const { y, scrollTop, scrollBottom } = this.#core.buffer;
    if (y !== scrollBottom) return true;
    const isWhole = scrollTop === 0 && scrollBottom === this.#terminal.rows - 1;
    return this.spend(isWhole ? cost.SCROLL : cost.SCROLL_LINE);
  }

  #spendOnReverseLineFeed(): boolean {
    const { y, scrollTop } = this.#core.buffer;
    return y !== scrollTop || this.spend(cost.SCROLL_LINE);
  }

  /** The length of the character that `CSI b` repeats: the printed one before it. */
  #repeatedLength(): number {
    const { active } = this.#terminal.buffer;
    const x = active.cursorX - widthOf(this.#parser.precedingJoinState);
    const text =
      active
        .getLine(active.baseY + active.cursorY)
        ?.getCell(x)
        ?.getChars() ?? "";
    return Math.max(1, text.length);
  }

  /** Erasing up to the last cell, the emulator looks for a row below the last one, which only a full scrollback has. */
  #wouldThrow(): boolean {
    const { active } = this.#terminal.buffer;
    return active.cursorX + 1 >= this.#terminal.cols && active.getLine(active.cursorY + 1) === undefined;
  }
}

const FREE = (): number => 0;
