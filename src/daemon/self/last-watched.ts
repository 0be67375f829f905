/**
 * The time of the last observation, in a file of a few bytes: after a kill it separates observed from unobserved time. The
 * journal cannot, because silence leaves no signal in it. A lost file costs little: the last signal counts instead, and a
 * problem found by elapsed time alone is found a little later.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { Moment } from "./clock.js";

const EVERY_MS = 5000;
/** Thirteen digits reach to the year 2286. */
const DIGITS = 13;
/** The id of a boot is a UUID. */
const BOOT_MAX = 36;
/** The daemon's time, the wall clock's, the machine's uptime, the id of its boot. A write this short is atomic. */
const LENGTH = 3 * (DIGITS + 1) + BOOT_MAX;

const FORM = /^(\d{13})(?: (\d{13})(?: (\d{13})(?: ([\w-]+))?)? *$)?/;

export class LastWatchedFile {
  readonly #file: number;
  /** The last observation of the previous daemon; null if unknown. */
  readonly before: Moment | null;
  #keptAt = 0;

  constructor(path: string) {
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    this.before = this.#read();
  }

  keep({ now, wall, uptime }: Moment): void {
    if (now - this.#keptAt < EVERY_MS) return;
    this.#keptAt = now;
    const text = [now, wall, ...(uptime ? [uptime.ms] : [])]
      .map(digits)
      .concat(uptime?.boot ?? [])
      .join(" ");
    try {
      writeSync(this.#file, text.padEnd(LENGTH).slice(0, LENGTH), 0);
    } catch {
      // The journal reports a full disk; watching continues.
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(): Moment | null {
    if (!fstatSync(this.#file).isFile()) return null;
    const bytes = Buffer.alloc(LENGTH);
    readSync(this.#file, bytes, 0, LENGTH, 0);
    const [, now, wall = now, ms, boot = null] = FORM.exec(bytes.toString("latin1")) ?? [];
    if (now === undefined) return null;
    return { now: Number(now), wall: Number(wall), uptime: ms === undefined ? null : { ms: Number(ms), boot } };
  }
}

function digits(ms: number): string {
  return String(Math.floor(ms)).padStart(DIGITS, "0");
}
