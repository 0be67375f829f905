/** The last bytes of output in a fixed buffer, and the terminal modes in effect: together they show a new viewer the screen. */
import { TerminalModes } from "./modes.js";

export class Ring {
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

  push(bytes: Buffer): void {
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
