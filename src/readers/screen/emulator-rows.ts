/**
 * The emulator's rows from inside. It knows which rows a write touched and keeps a row's cells in one array; its public
 * face shows neither, and building the text of 40 rows takes ten times as long as parsing what came since the last
 * look. Where another release has nothing there, every row counts as touched and is read the public way, with the same
 * result.
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
    _bufferService?: { buffer?: Buffer };
  };
}

interface Buffer {
  ybase: number;
  lines: { get: (y: number) => Line | undefined };
}

interface Line {
  /** Three words a cell; the first holds its character, its width and whether characters were combined. */
  _data?: Uint32Array;
  isWrapped?: boolean;
}

export class EmulatorRows {
  readonly #service: NonNullable<Inside["_core"]>["_bufferService"];
  readonly #isTracked: boolean;
  #buffer: Buffer | undefined;
  /** By row: was it touched since the last `forget`? */
  #touched = new Uint8Array(0);

  constructor(terminal: Terminal) {
    const core = (terminal as unknown as Inside)._core;
    this.#service = core?._bufferService;
    const tracker = core?._inputHandler?._dirtyRowTracker;
    const { markDirty, markRangeDirty } = tracker ?? {};
    this.#isTracked = Boolean(tracker && markDirty && markRangeDirty && this.#service?.buffer);
    if (!tracker || !markDirty || !markRangeDirty) return;
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

  /** Before rows are read: those up to this height are watched from here on; another height touches all of them. */
  watch(height: number): void {
    this.#buffer = this.#service?.buffer;
    if (this.#touched.length !== height) this.#touched = new Uint8Array(height).fill(1);
  }

  /** Was row `y` touched? A text that wrapped touches its first and its last row by name, and those between by wrapping. */
  isTouched(y: number): boolean {
    if (!this.#isTracked) return true;
    if (this.#touched[y] === 1) return true;
    if (y === 0 || this.#touched[y - 1] === 0 || this.#line(y)?.isWrapped !== true) return false;
    this.#touched[y] = 1;
    return true;
  }

  forget(): void {
    this.#touched.fill(0);
  }

  /** The cells of row `y` where they can be seen. */
  cells(y: number): Uint32Array | undefined {
    return this.#line(y)?._data;
  }

  #line(y: number): Line | undefined {
    return this.#buffer?.lines.get(this.#buffer.ybase + y);
  }
}
