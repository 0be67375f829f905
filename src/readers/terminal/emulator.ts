/**
 * The emulator and its pending bytes. Bytes are collected as they arrive and parsed together when a check is due, so
 * chunking has no effect. The emulator sends no answers: it has no way back to the program.
 */
import { createRequire } from "node:module";
import type * as Xterm from "@xterm/headless";
import { PrintedLines } from "./printed-lines.js";
import type { ScreenRow } from "./row.js";
import { TerminalScreen } from "./terminal-screen.js";

/** Not by `import`: the search for its export names takes Node.js 20 to 70 ms at start-up. */
const xterm = createRequire(import.meta.url)("@xterm/headless") as typeof Xterm;

/** This many pending bytes go to the emulator at once, to bound memory under a flood. */
const PENDING_BYTES_MAX = 256 * 1024;
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
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** The pending bytes since the last check, and the number of checks that the others have waited for. */
  #freshBytes = 0;
  #waited = 0;
  #dirty = false;
  /** Rows that changed since they were last taken. */
  #changed: ScreenRow[] = [];
  #title: string | null = null;
  #titles: string[] = [];
  #statuses: string[] = [];

  constructor(
    { cols, rows }: { cols: number; rows: number },
    isUnknownProgram: boolean,
    onStatus: (data: string) => void,
  ) {
    this.#terminal = new xterm.Terminal({
      cols: clamp(cols, 2, 1000),
      rows: clamp(rows, 2, 500),
      scrollback: 0,
      allowProposedApi: true,
      // It would write input that it cannot parse to standard error.
      logLevel: "off",
    });
    this.screen = new TerminalScreen(this.#terminal);
    this.printed = isUnknownProgram ? new PrintedLines(this.#terminal) : null;
    this.#terminal.onTitleChange((title) => {
      this.#title = title.slice(0, TITLE_MAX);
      if (this.#titles.length < TITLES_MAX) this.#titles.push(this.#title);
    });
    this.#terminal.parser.registerOscHandler(7501, (data) => {
      const status = data.slice(0, STATUS_MAX);
      if (this.#statuses.length < STATUSES_MAX) this.#statuses.push(status);
      onStatus(status);
      return true;
    });
  }

  write(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#freshBytes += bytes.length;
    if (this.#pendingBytes > PENDING_BYTES_MAX) this.flush();
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
    if (isResting || isOpen || this.#pendingBytes >= WORTH_BYTES) return true;
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
    // An empty input marks the next write as an answer to a user, which the emulator parses at once instead of in a
    // timer. Without it each check would wait a millisecond for the timer, which is half of the time of a replay.
    this.#terminal.input("", true);
    this.#terminal.write(bytes);
  }

  resize(cols: number, rows: number): void {
    this.flush();
    this.#terminal.resize(clamp(cols, 2, 1000), clamp(rows, 2, 500));
    this.screen.touch();
    this.#dirty = true;
  }

  /** Updates the screen's rows from the parsed output. */
  readRows(): void {
    this.flush();
    if (this.#dirty) for (const row of this.screen.read()) this.#changed.push(row);
    this.#dirty = false;
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
    const { cursorX: x, cursorY: y } = this.#terminal.buffer.active;
    return { x, y, cols: this.#terminal.cols };
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}

/** Output between two checks is joined here and parsed at once; all readers share one buffer. */
const joint = new Uint8Array(64 * 1024);

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = bytes <= joint.length ? joint.subarray(0, bytes) : new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const clamp = (n: number, low: number, high: number): number => Math.max(low, Math.min(high, Math.floor(n) || low));
