/** The last bytes of output in a fixed buffer, and the terminal modes in effect: together they show a new viewer the screen. */
import { TerminalModes } from "./modes.js";

/** Marks of time are this far apart, and cover half an hour of steady output. */
const MARK_MS = 1000;
const MARKS_MAX = 1800;

export class Ring {
  /** When which byte was written, oldest first: the screen of an earlier time is what these bytes draw. */
  readonly #marks: { at: number; total: number }[] = [];
  readonly modes = new TerminalModes();
  readonly #room: Buffer;
  /** All bytes ever written; the next one goes to this index, modulo the size. */
  #total = 0;

  constructor(bytes: number) {
    this.#room = Buffer.allocUnsafeSlow(bytes);
  }

  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#room.length;
  }

  push(bytes: Buffer, at: number = Date.now()): void {
    this.#mark(at);
    this.modes.take(bytes);
    const kept = bytes.length > this.#room.length ? bytes.subarray(bytes.length - this.#room.length) : bytes;
    this.#total += bytes.length;
    const end = this.#total % this.#room.length;
    const start = (this.#total - kept.length) % this.#room.length;
    if (start < end || end === 0 || kept.length === 0) {
      kept.copy(this.#room, start);
    } else {
      const cut = this.#room.length - start;
      kept.copy(this.#room, start, 0, cut);
      kept.copy(this.#room, 0, cut);
    }
  }

  /** What was kept of the output up to that time; null if none of it is left. */
  before(at: number): Buffer | null {
    const next = this.#marks.findIndex((mark) => mark.at > at);
    // Without a mark of that time it is not known which bytes are older.
    if (next === 0) return null;
    const end = next < 0 ? this.#total : (this.#marks[next]?.total ?? 0);
    const oldest = Math.max(0, this.#total - this.#room.length);
    return end <= oldest ? null : this.tail(this.#total - oldest, end - oldest);
  }

  #mark(at: number): void {
    const last = this.#marks.at(-1);
    if (last && at - last.at < MARK_MS && at >= last.at) return;
    this.#marks.push({ at, total: this.#total });
    if (this.#marks.length > MARKS_MAX) this.#marks.shift();
  }

  /** A copy of the last bytes, at most `wanted`; only the first `taken` of these if given. */
  tail(wanted: number, taken: number = wanted): Buffer {
    const back = Math.max(0, Math.min(wanted, this.#total, this.#room.length));
    const length = Math.min(back, taken);
    const start = (this.#total - back) % this.#room.length;
    const straight = Math.min(length, this.#room.length - start);
    return Buffer.concat(
      [this.#room.subarray(start, start + straight), this.#room.subarray(0, length - straight)],
      length,
    );
  }
}
