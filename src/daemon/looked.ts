/**
 * When somebody last looked, kept in a file of a few bytes: after a kill it is known which time was watched and which
 * was not. The journal cannot tell, because a silence leaves nothing in it. A lost file costs little: the last signal
 * counts then, and a trouble that time alone had shown is shown a little later again.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";

const EVERY_MS = 5000;
/** Thirteen digits reach to the year 2286, and one write of so few bytes is never seen half. */
const DIGITS = 13;

export class Looked {
  readonly #file: number;
  /** By whoever ran before; null where nothing is known. */
  readonly before: number | null;
  #keptAt = 0;

  constructor(path: string) {
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    this.before = this.#read();
  }

  keep(now: number): void {
    if (now - this.#keptAt < EVERY_MS) return;
    this.#keptAt = now;
    try {
      writeSync(this.#file, String(Math.floor(now)).padStart(DIGITS, "0"), 0);
    } catch {
      // A full disk is told by the journal; watching goes on.
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(): number | null {
    if (!fstatSync(this.#file).isFile()) return null;
    const bytes = Buffer.alloc(DIGITS);
    readSync(this.#file, bytes, 0, DIGITS, 0);
    const text = bytes.toString("latin1");
    return /^\d{13}$/.test(text) ? Number(text) : null;
  }
}
