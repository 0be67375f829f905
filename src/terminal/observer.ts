/**
 * Checks the agent's output on a timer, outside the path of the bytes: bytes go through the ring at once, and a check
 * reads the new ones from it, in pieces: between two of them this process passes on output and answers requests. Under a
 * flood a check reads only the end and counts the skipped bytes: watching never slows down the output. A failure in here
 * ends the watching, never the agent.
 */

import { StringDecoder } from "node:string_decoder";
import { localZone } from "../config/local-zone.js";
import type { ScreenSettings } from "../config/screen-settings.js";
import type { ScreenState } from "../core/policy/typing-checks.js";
import type { Signal } from "../core/signal.js";
import { generic } from "../programs/generic/screens.js";
import type { AgentProfile } from "../programs/shared/profile.js";
import { readKeys } from "../readers/keys.js";
import { PIECE_BYTES } from "../readers/terminal/emulator.js";
import { CHECK_MS, TerminalReader } from "../readers/terminal/terminal.js";
import type { Ring } from "./ring.js";

/** The emulator reads 30 to 90 MB/s, so this takes at most 20 ms per check. */
const CHECK_BYTES_MAX = 512 * 1024;
/** Cancels a sequence that began in the skipped bytes. */
const CANCEL = Buffer.from("\u0018");

export interface ObserverOptions extends ScreenSettings {
  profile: AgentProfile;
  cols: number;
  rows: number;
  ring: Ring;
  now: () => number;
  signal(signal: Signal): void;
  failed(error: unknown): void;
}

export class Observer {
  readonly #options: ObserverOptions;
  readonly #reader: TerminalReader;
  readonly #keys = new StringDecoder("utf8");
  readonly #timer: NodeJS.Timeout;
  /** The next piece, or the reading after the last one. */
  #next: NodeJS.Immediate | null = null;
  #seen = 0;
  #skipped = 0;
  #stopped = false;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#reader = new TerminalReader(options.profile, {
      cols: options.cols,
      rows: options.rows,
      // Few programs ever print a time, and loading the zone takes 8 MB of tables and 14 ms.
      get zone() {
        return localZone();
      },
      structure: generic,
      previewLines: options.previewLines,
      marker: options.marker,
    });
    this.#timer = setInterval(() => {
      if (this.#next === null) this.#check(options.ring.total);
    }, CHECK_MS);
  }

  /** Bytes that no check read or will read. */
  get skippedBytes(): number {
    return this.#skipped;
  }

  get isWatching(): boolean {
    return !this.#stopped;
  }

  /** True if they are keys; a terminal's own answers are not keys. */
  keys(bytes: Uint8Array, by: "human" | "client"): boolean {
    const isTyped = this.#guarded(() => {
      const keys = readKeys(this.#keys.write(bytes), this.#options.now());
      if (keys) this.#options.signal(by === "human" ? keys : { ...keys, by, source: "observer" });
      return keys !== null;
    });
    return isTyped ?? true;
  }

  /** The screen after all output so far; null if it is unknown. */
  screenState(): ScreenState | null {
    return this.#guarded(() => {
      this.#catchUp();
      return this.#reader.placedScreenState(this.#options.now()).screenState;
    });
  }

  /** The text of the screen after all output so far; null if it is unknown. */
  screenRows(): string[] | null {
    return this.#guarded(() => {
      this.#catchUp();
      return this.#reader.screenRows();
    });
  }

  /** Reports everything again that the terminal shows now. */
  repeat(): void {
    this.#guarded(() => {
      for (const signal of this.#reader.repeat(this.#options.now())) this.#options.signal(signal);
    });
  }

  resize(cols: number, rows: number): void {
    this.#guarded(() => {
      this.#catchUp();
      this.#reader.resize(cols, rows);
    });
  }

  /** The cursor after all output so far; null if it is unknown. */
  cursor(): { row: number; column: number } | null {
    return this.#guarded(() => {
      this.#catchUp();
      return this.#reader.cursor();
    });
  }

  /** Reports the last screen, although no later check confirms it. */
  end(): void {
    if (this.#stopped) return;
    this.#guarded(() => {
      this.#catchUp();
      for (const signal of this.#reader.lastCheck(this.#options.now())) this.#options.signal(signal);
    });
    this.stop();
  }

  /** Stops checking; unread output stays unread. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    if (this.#next !== null) clearImmediate(this.#next);
    this.#reader.dispose();
  }

  /** Reads the output up to `until`, one piece at a time, and then the screen. */
  #check(until: number): void {
    this.#next = null;
    this.#guarded(() => {
      if (this.#seen < until) {
        this.#takePiece();
        this.#next = setImmediate(() => this.#check(until));
      } else for (const signal of this.#reader.check(this.#options.now())) this.#options.signal(signal);
    });
  }

  #catchUp(): void {
    while (this.#seen < this.#options.ring.total) this.#takePiece();
  }

  #takePiece(): void {
    const { ring } = this.#options;
    const waiting = ring.total - this.#seen;
    const kept = Math.min(waiting, CHECK_BYTES_MAX, ring.size);
    if (kept < waiting) {
      this.#skipped += waiting - kept;
      this.#reader.write(CANCEL);
    }
    const piece = Math.min(kept, PIECE_BYTES);
    this.#seen = ring.total - kept + piece;
    this.#reader.write(ring.tail(kept, piece));
  }

  #guarded<T>(work: () => T): T | null {
    if (this.#stopped) return null;
    try {
      return work();
    } catch (error) {
      this.stop();
      this.#options.failed(error);
      return null;
    }
  }
}
