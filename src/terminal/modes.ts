/**
 * Which private modes (DECSET) a program switched on: alternate screen, mouse, paste marks, hidden cursor and others.
 * A viewer that attaches later needs them, and a killed program leaves the terminal in them.
 */
const START = Buffer.from("\u001b[?");
const SEQUENCE = /\u001b\[\?([\d;]{1,40})([hl])/g;
/** Bytes kept from the end of a read, to find a sequence that was split between two reads. */
const CARRY_BYTES = 48;
const MODES_MAX = 64;
/** The cursor is visible and lines wrap by default: these modes are on in a fresh terminal. */
const ON_BY_DEFAULT = new Set(["7", "25"]);

export class TerminalModes {
  readonly #changed = new Map<string, "h" | "l">();
  #carry = Buffer.alloc(0);

  take(bytes: Buffer): void {
    const seam = this.#carry.length > 0 ? Buffer.concat([this.#carry, bytes.subarray(0, CARRY_BYTES)]) : null;
    if (seam?.includes(START)) this.#read(seam);
    if (bytes.includes(START)) this.#read(bytes);
    const end = seam && bytes.length < CARRY_BYTES ? seam : bytes;
    const cut = end.lastIndexOf(0x1b);
    this.#carry = cut >= 0 && cut > end.length - CARRY_BYTES ? Buffer.from(end.subarray(cut)) : Buffer.alloc(0);
  }

  /** Brings a fresh terminal into these modes. */
  restore(): string {
    return [...this.#changed].map(([mode, to]) => `\u001b[?${mode}${to}`).join("");
  }

  /** Resets these modes. */
  undo(): string {
    return [...this.#changed].map(([mode, to]) => `\u001b[?${mode}${to === "h" ? "l" : "h"}`).join("");
  }

  #read(bytes: Buffer): void {
    for (const [, list = "", to] of bytes.toString("latin1").matchAll(SEQUENCE)) {
      for (const mode of list.split(";")) this.#set(mode, to as "h" | "l");
    }
  }

  #set(mode: string, to: "h" | "l"): void {
    if (mode === "") return;
    const resting = ON_BY_DEFAULT.has(mode) ? "h" : "l";
    // Keeps the order of the changes: 1049 after 1047 differs from 1047 after 1049.
    this.#changed.delete(mode);
    if (to !== resting && this.#changed.size < MODES_MAX) this.#changed.set(mode, to);
  }
}
