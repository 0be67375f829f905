/**
 * The emulator and its pending bytes. Bytes are collected as they arrive and parsed together when a check is due, so
 * chunking has no effect.
 */
import { BoundedTerminal } from "./bounded-terminal.js";
import { PrintedLines } from "./printed-lines.js";
import type { ScreenRow } from "./row.js";
import { TerminalScreen } from "./terminal-screen.js";

/** This many pending bytes go to the emulator at once, to bound memory and the time of a step under a flood. */
export const PIECE_BYTES: number = 64 * 1024;
/**
 * A check costs as much as parsing a thousand bytes, and a turning spinner writes a hundred between two checks. Fewer
 * bytes than this wait for more output, for the program to rest, or for this many checks at most.
 */
const WORTH_BYTES = 2000;
const WAIT_CHECKS_MAX = 4;
/** A spinner in a title turns ten times a second, and checks are two seconds apart. */
const TITLES_MAX = 64;
const TITLE_MAX = 400;
const STATUSES_MAX = 64;
const STATUS_MAX = 2000;

export class Emulator {
  readonly screen: TerminalScreen;
  /** For an unknown program, which may print lines instead of drawing a screen. */
  readonly printed: PrintedLines | null;
  readonly #bounded: BoundedTerminal;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Bytes since the rows were last read. */
  #unreadBytes = 0;
  /** The pending bytes since the last check, and the number of checks that the others have waited for. */
  #freshBytes = 0;
  #waited = 0;
  #dirty = false;
  /** Rows that changed since they were last taken. */
  #changed: ScreenRow[] = [];
  #title: string | null = null;
  #titles: string[] = [];
  #statuses: string[] = [];

  constructor(size: { cols: number; rows: number }, isUnknownProgram: boolean, onStatus: (data: string) => void) {
    this.#bounded = new BoundedTerminal(size, 0);
    const { terminal } = this.#bounded;
    this.screen = new TerminalScreen(terminal);
    this.printed = isUnknownProgram ? new PrintedLines(terminal) : null;
    terminal.onResize(() => this.screen.touch());
    terminal.onTitleChange((title) => {
      this.#title = copyOf(title.slice(0, TITLE_MAX));
      if (this.#titles.length < TITLES_MAX) this.#titles.push(this.#title);
    });
    terminal.parser.registerOscHandler(7501, (data) => {
      const status = copyOf(data.slice(0, STATUS_MAX));
      if (this.#statuses.length < STATUSES_MAX) this.#statuses.push(status);
      onStatus(status);
      return true;
    });
  }

  write(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#unreadBytes += bytes.length;
    this.#freshBytes += bytes.length;
    if (this.#pendingBytes >= PIECE_BYTES) this.flush();
  }

  /** The last check has read everything. */
  get isAtRest(): boolean {
    if (this.#pendingBytes > 0 || this.#dirty) return false;
    return this.#changed.length === 0 && this.#titles.length === 0 && this.#statuses.length === 0;
  }

  /** At a time boundary: is a check worth its cost? Always if the previous check left something unconfirmed. */
  isDue(isOpen: boolean): boolean {
    const isResting = this.#freshBytes === 0;
    this.#freshBytes = 0;
    if (isResting || isOpen || this.#unreadBytes >= WORTH_BYTES) return true;
    this.#waited++;
    return this.#waited >= WAIT_CHECKS_MAX;
  }

  flush(): void {
    this.#freshBytes = 0;
    this.#waited = 0;
    if (this.#pendingBytes === 0) return;
    const bytes =
      this.#pending.length === 1 ? (this.#pending[0] as Uint8Array) : joined(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#dirty = true;
    this.#bounded.write(bytes);
  }

  resize(cols: number, rows: number): void {
    this.flush();
    this.#bounded.resize({ cols, rows });
    this.#dirty = true;
  }

  /** Parses what is pending, in the size that the terminal has now. */
  settle(): void {
    this.flush();
    this.#bounded.fit();
  }

  /** A span of time has passed: the program may order as much work again. */
  refill(): void {
    this.#bounded.refill();
  }

  /** Updates the screen's rows from the parsed output. */
  readRows(): void {
    this.settle();
    if (this.#dirty) for (const row of this.screen.read()) this.#changed.push(row);
    this.#dirty = false;
    this.#unreadBytes = 0;
  }

  /** The rows that changed since the last call. */
  takeChanged(): ScreenRow[] {
    return this.#changed.splice(0);
  }

  /** The titles since the last call: a turn may start and end between two checks. */
  takeTitles(): string[] {
    // Beyond this number, only the last one counts.
    if (this.#titles.length === TITLES_MAX && this.#title !== null) this.#titles.push(this.#title);
    return this.#titles.splice(0);
  }

  /** The OSC 7501 reports since the last call. */
  takeStatuses(): string[] {
    return this.#statuses.splice(0);
  }

  get title(): string {
    return this.#title ?? "";
  }

  /** Row and column from 0, after everything that was parsed. The column may be one past the last. */
  get cursor(): { x: number; y: number; cols: number } {
    const { cursorX: x, cursorY: y } = this.#bounded.terminal.buffer.active;
    return { x, y, cols: this.#bounded.terminal.cols };
  }

  dispose(): void {
    this.#bounded.dispose();
  }
}

/** A part of a string would keep the whole of it in memory: a title may have ten million characters. */
const copyOf = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** Output between two checks is joined here and parsed at once; all readers share one buffer. */
const joint = new Uint8Array(2 * PIECE_BYTES);

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = bytes <= joint.length ? joint.subarray(0, bytes) : new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
