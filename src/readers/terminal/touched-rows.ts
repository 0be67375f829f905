/**
 * Which rows a write touched. The emulator knows, but its public face does not say, and to read the text of all rows at
 * every check takes a third of the time of reading a terminal. In a release that keeps this elsewhere every row counts as
 * touched, with the same result.
 */
import type { Terminal } from "@xterm/headless";

/** What is looked for inside. Every part of it may be missing. */
interface Inside {
  _core?: {
    _inputHandler?: {
      _dirtyRowTracker?: {
        markDirty?: (y: number) => void;
        markRangeDirty?: (from: number, to: number) => void;
      };
    };
  };
}

export class TouchedRows {
  readonly #terminal: Terminal;
  readonly #isTracked: boolean;
  /** By row: was it touched since the last `forget`? */
  #touched = new Uint8Array(0);

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.watch();
    const tracker = (terminal as unknown as Inside)._core?._inputHandler?._dirtyRowTracker;
    this.#isTracked = Boolean(tracker?.markDirty && tracker.markRangeDirty);
    if (!tracker || !this.#isTracked) return;
    // The emulator itself keeps one range from the highest to the lowest row. A spinner above and a cursor below the
    // composer make that half of the screen at every look.
    tracker.markDirty = (y) => {
      this.#touched[y] = 1;
    };
    tracker.markRangeDirty = (from, to) => {
      this.#touched.fill(1, Math.min(from, to), Math.max(from, to) + 1);
    };
    // What names less than it touches: a change of the buffer, and erasing parts of the screen.
    terminal.buffer.onBufferChange(() => this.touchAll());
    for (const prefix of ["", "?"]) {
      terminal.parser.registerCsiHandler({ prefix, final: "J" }, () => {
        this.touchAll();
        return false;
      });
    }
  }

  touchAll(): void {
    this.#touched.fill(1);
  }

  /** Before rows are read: another height touches all of them. */
  watch(): void {
    const { rows } = this.#terminal;
    if (this.#touched.length !== rows) this.#touched = new Uint8Array(rows).fill(1);
  }

  /** Was row `y` touched? A text that wrapped touches its first and its last row by name, and those between by wrapping. */
  has(y: number): boolean {
    if (!this.#isTracked || this.#touched[y] === 1) return true;
    if (y === 0 || this.#touched[y - 1] === 0) return false;
    const buffer = this.#terminal.buffer.active;
    if (buffer.getLine(buffer.baseY + y)?.isWrapped !== true) return false;
    this.#touched[y] = 1;
    return true;
  }

  forget(): void {
    this.#touched.fill(0);
  }
}
