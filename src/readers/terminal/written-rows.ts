/**
 * The rows that were written since the last check. The emulator knows them, but its public interface does not expose
 * them, and reading the text of all rows at every check takes a third of the time of reading a terminal. If a release
 * of the emulator keeps this elsewhere, every row counts as written, with the same result.
 */
import type { Terminal } from "@xterm/headless";

/** The internal fields of the emulator that are used here. Each may be missing. */
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

export class WrittenRows {
  readonly #terminal: Terminal;
  readonly #isTracked: boolean;
  /** By row: was it written since the last `forget`? */
  #touched = new Uint8Array(0);

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.watch();
    const tracker = (terminal as unknown as Inside)._core?._inputHandler?._dirtyRowTracker;
    this.#isTracked = Boolean(tracker?.markDirty && tracker.markRangeDirty);
    if (!tracker || !this.#isTracked) return;
    // The emulator itself keeps one range from the highest to the lowest row. A spinner above and a cursor below the
    // composer make that half of the screen at every check.
    tracker.markDirty = (y) => {
      this.#touched[y] = 1;
    };
    tracker.markRangeDirty = (from, to) => {
      this.#touched.fill(1, Math.min(from, to), Math.max(from, to) + 1);
    };
    // These change more rows than they name: a change of the buffer, and erasing parts of the screen.
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

  /** Call before rows are read: a new height marks all rows as written. */
  watch(): void {
    const { rows } = this.#terminal;
    if (this.#touched.length !== rows) this.#touched = new Uint8Array(rows).fill(1);
  }

  /** Was row `y` written? Wrapped text names its first and last row, and marks those between by wrapping. */
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
