/**
 * Looks at what the agent wrote, on a timer and never on the way of the bytes: these go through the ring at once, and
 * a look takes from it what came since the last one. Under a flood a look takes the end only and counts what it
 * skipped: passing bytes on is never slowed down by watching. Whatever fails in here ends the watching, never the agent.
 */

import { StringDecoder } from "node:string_decoder";
import type { ScreenState } from "../core/policy/typing-checks.js";
import type { Signal } from "../core/signal.js";
import { generic } from "../programs/generic/screens.js";
import type { AgentProfile } from "../programs/shared/profile.js";
import { readKeys } from "../readers/keys.js";
import { CHECK_MS, TerminalReader } from "../readers/terminal/terminal.js";
import type { Ring } from "./ring.js";

/** The emulator reads some 30 MB/s: this is 20 ms of every look at most. */
const CHECK_BYTES_MAX = 512 * 1024;
/** Ends a sequence that the skipped bytes began. */
const CANCEL = Buffer.from("\u0018");

export interface ObserverOptions {
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
  #seen = 0;
  #skipped = 0;
  #stopped = false;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#reader = new TerminalReader(options.profile, {
      cols: options.cols,
      rows: options.rows,
      // Few programs ever name a time, and asking for the zone loads 8 MB of tables and takes 14 ms.
      get zone() {
        return Intl.DateTimeFormat().resolvedOptions().timeZone;
      },
      structure: generic,
    });
    this.#timer = setInterval(() => this.#guarded(() => this.#check()), CHECK_MS);
  }

  /** Bytes that no look has read, and none will. */
  get skippedBytes(): number {
    return this.#skipped;
  }

  get isWatching(): boolean {
    return !this.#stopped;
  }

  /** True when a person typed them; a terminal's own answers are nobody's keys. */
  keys(bytes: Uint8Array): boolean {
    const isTyped = this.#guarded(() => {
      const keys = readKeys(this.#keys.write(bytes), this.#options.now());
      if (keys) this.#options.signal(keys);
      return keys !== null;
    });
    return isTyped ?? true;
  }

  /** What stands on the screen after everything that was written so far; null when nobody can tell. */
  screenState(): ScreenState | null {
    return this.#guarded(() => {
      this.#catchUp();
      return this.#reader.placedScreenState(this.#options.now()).screenState;
    });
  }

  resize(cols: number, rows: number): void {
    this.#guarded(() => {
      this.#catchUp();
      this.#reader.resize(cols, rows);
    });
  }

  /** Where the cursor is after everything that was written so far; null when nobody can tell. */
  cursor(): { row: number; column: number } | null {
    return this.#guarded(() => {
      this.#catchUp();
      return this.#reader.cursor();
    });
  }

  /** The last screen counts, although nothing confirms it any more. */
  end(): void {
    if (this.#stopped) return;
    this.#guarded(() => {
      this.#catchUp();
      for (const signal of this.#reader.lastCheck(this.#options.now())) this.#options.signal(signal);
    });
    this.stop();
  }

  /** No more looks; what was not looked at is not. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#reader.dispose();
  }

  #check(): void {
    this.#catchUp();
    for (const signal of this.#reader.check(this.#options.now())) this.#options.signal(signal);
  }

  #catchUp(): void {
    const { ring } = this.#options;
    const waiting = ring.total - this.#seen;
    if (waiting === 0) return;
    this.#seen = ring.total;
    const taken = Math.min(waiting, CHECK_BYTES_MAX, ring.size);
    if (taken < waiting) {
      this.#skipped += waiting - taken;
      this.#reader.write(CANCEL);
    }
    this.#reader.write(ring.tail(taken));
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
