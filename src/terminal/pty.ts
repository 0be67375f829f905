/**
 * A program in a pseudo-terminal of its own, with its output up to the last byte.
 *
 * node-pty loses the end of the output of 40 to 80 % of short runs on Node 20 and 22: when the program closes its side,
 * libuv takes the hang-up for the end of the stream while bytes still wait in the kernel. So this file
 * - holds the program's side open itself, until everything was read;
 * - handles the exit at once; node-pty would wait 200 ms and then destroy the stream, read or not;
 * - reads the rest directly from the descriptor. A read of an empty master first makes the kernel move over the last
 *   output of the dead program, so EAGAIN then means that nothing is left. A pause across an exit loses nothing either.
 *
 * That needs four private fields of node-pty and two of its stream (`PrivateFields`); the version is pinned exactly,
 * and a test runs many short programs.
 */
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import type { ReadStream } from "node:tty";
import pty, { type IPty } from "@lydell/node-pty";

export interface PtyOptions {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  cols: number;
  rows: number;
  /** Of the whole terminal; images are scaled by it. */
  pixels?: PixelSize | undefined;
}

export interface PixelSize {
  width: number;
  height: number;
}

/** As reported by the system: a program ends with a code or by a signal, never both. */
export interface PtyExit {
  code: number | null;
  signal: number | null;
}

export interface PtyEvents {
  /** True if the receiver keeps the buffer; otherwise it is used again after the call. */
  data(bytes: Buffer): boolean;
  exit(exit: PtyExit): void;
}

interface PrivateFields {
  /** Path of the program's side. */
  _pty: string;
  /** Descriptor of our side; it does not block. */
  _fd: number;
  _socket: ReadStream & { _readableState: { decoder: unknown; encoding: unknown } };
  /** If set to true, the exit event comes at once. */
  _emittedClose: boolean;
}

/**
 * A read of a terminal often returns only 4 KiB; this much is collected before the listener is called. The kernel holds
 * about 12 KiB between a writer and its reader, so collecting more makes the program wait: 100 MB took 2.16 s with 16
 * KiB, 2.44 s with 64 KiB.
 */
const READ_BYTES = 16 * 1024;
/**
 * A shorter read has emptied the terminal, so it is not read again at once: reading an empty terminal waits for the
 * kernel to move over pending output.
 */
const FULL_READ_BYTES = 4095;
/** Largest backlog of input for a program that does not read. */
const WAITING_BYTES_MAX = 1024 * 1024;
const RETRY_MS = [1, 5, 20, 50] as const;
/** A terminal holds 64 KiB of unread output; anything beyond comes from processes that outlive the program. */
const LAST_BYTES_MAX = 256 * 1024;

export class Pty {
  readonly pid: number;
  readonly path: string;
  readonly #term: IPty & PrivateFields;
  readonly #events: PtyEvents;
  #scratch = Buffer.allocUnsafeSlow(READ_BYTES);
  readonly #held: number | null;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #retries = 0;
  #retryTimer: NodeJS.Timeout | null = null;
  #onDrain: (() => void) | null = null;
  #ended = false;

  /** Throws if no terminal is available. A program that cannot be started exits with code 1 and prints the reason. */
  constructor(options: PtyOptions, events: PtyEvents) {
    const [file = "", ...args] = options.command;
    this.#events = events;
    this.#term = pty.spawn(file, args, {
      cols: side(options.cols),
      rows: side(options.rows),
      cwd: options.cwd,
      env: { ...options.env },
      // Creates a terminal with UTF-8 (`iutf8`): without it, Backspace removes one byte of a letter.
      encoding: "utf8",
    }) as IPty & PrivateFields;
    // Bytes, not text: the emulator joins a character that is cut between two reads. Nothing was read yet.
    Object.assign(this.#term._socket._readableState, { decoder: null, encoding: null });
    this.pid = this.#term.pid;
    this.path = this.#term._pty;
    this.#term._emittedClose = true;
    if (options.pixels) this.resize(options.cols, options.rows, options.pixels);
    this.#held = hold(this.path);
    this.#term._socket.on("data", (first: Buffer) => this.#take(first));
    // node-pty throws errors without a listener; an error of a closing terminal means nothing.
    this.#term._socket.on("error", () => {});
    this.#term.onExit(({ exitCode, signal }) =>
      this.#end(signal ? { code: null, signal } : { code: exitCode, signal: null }),
    );
  }

  /** False if input is waiting: the caller holds back until `onDrain`. Beyond a bound, bytes are refused. */
  write(bytes: Uint8Array): boolean {
    if (this.#ended || this.#waitingBytes + bytes.length > WAITING_BYTES_MAX) return false;
    this.#waiting.push(Buffer.from(bytes));
    this.#waitingBytes += bytes.length;
    if (this.#retryTimer === null) this.#flush();
    return this.#waitingBytes === 0;
  }

  /**
   * Reads the program's output up to now, and passes it on; false if reading is paused. `hasOutput` is true if there was
   * any; otherwise the receiver's screen is current.
   */
  catchUp(): { current: boolean; hasOutput: boolean } {
    if (this.#ended || this.#term._socket.isPaused() || this.#term._socket.readableLength > 0)
      return { current: false, hasOutput: false };
    const length = this.#read(0, 1);
    if (length > 0) this.#pass(length);
    return { current: length < READ_BYTES, hasOutput: length > 0 };
  }

  get terminal(): this {
    return this;
  }

  /** No input is waiting. */
  get isDrained(): boolean {
    return !this.#ended && this.#waitingBytes === 0;
  }

  /** Called once, when all input was written. */
  onDrain(call: () => void): void {
    this.#onDrain = call;
  }

  resize(cols: number, rows: number, pixels?: PixelSize): void {
    if (this.#ended) return;
    try {
      this.#term.resize(side(cols), side(rows), pixels);
    } catch {
      // The program has just ended.
    }
  }

  /** Further writes block the program, as with any slow terminal. */
  pause(): void {
    if (!this.#ended) this.#term._socket.pause();
  }

  resume(): void {
    if (!this.#ended) this.#term._socket.resume();
  }

  #take(first: Buffer): void {
    // Short in nearly all cases; a paused stream may return more than our buffer holds.
    if (first.length < FULL_READ_BYTES || first.length >= READ_BYTES) this.#events.data(first);
    else this.#pass(this.#read(first.copy(this.#scratch), FULL_READ_BYTES));
  }

  #pass(length: number): void {
    const isKept = this.#events.data(this.#scratch.subarray(0, length));
    if (isKept) this.#scratch = Buffer.allocUnsafeSlow(READ_BYTES);
  }

  /** Fills the buffer from `length` on, until a read returns less than `enough`; returns its length. */
  #read(length: number, enough: number): number {
    let filled = length;
    try {
      while (filled < READ_BYTES) {
        const got = readSync(this.#term._fd, this.#scratch, filled, READ_BYTES - filled, null);
        filled += got;
        if (got < enough) break;
      }
    } catch {
      // EAGAIN: nothing more at the moment. EIO: nothing more ever.
    }
    return filled;
  }

  #flush(): void {
    this.#retryTimer = null;
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        const written = writeSync(this.#term._fd, next);
        this.#retries = 0;
        this.#waitingBytes -= written;
        if (written < next.length) this.#waiting[0] = next.subarray(written);
        else this.#waiting.shift();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
        this.#forget();
        return;
      }
      // The program does not read. node-pty would try again without a pause, on a whole core.
      const delay = RETRY_MS[Math.min(this.#retries++, RETRY_MS.length - 1)];
      this.#retryTimer = setTimeout(() => this.#flush(), delay);
      return;
    }
    const call = this.#onDrain;
    this.#onDrain = null;
    call?.();
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #end(exit: PtyExit): void {
    if (this.#ended) return;
    this.#ended = true;
    // Emits what a paused stream has already read.
    this.#term._socket.read();
    let last = 0;
    for (let length = this.#read(0, 1); length > 0 && last < LAST_BYTES_MAX; length = this.#read(0, 1)) {
      this.#pass(length);
      last += length;
    }
    if (this.#retryTimer) clearTimeout(this.#retryTimer);
    this.#forget();
    this.#term._socket.destroy();
    if (this.#held !== null) closeSync(this.#held);
    this.#events.exit(exit);
  }
}

/** The program already runs: a failure here loses at most the end of its output. */
function hold(path: string): number | null {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return null;
  }
}

const side = (n: number): number => Math.max(1, Math.min(10_000, Math.floor(n) || 1));
