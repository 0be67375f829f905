/** Longest line that is kept. Honest lines reach about 5 MB: a screenshot in base64 inside a tool result. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;
const KEPT_CAPACITY = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Cuts a stream into lines, independent of how the stream is chunked.
 *
 * Bytes are split before they are decoded: a newline byte never occurs inside a UTF-8 sequence, so a character split
 * between two chunks is complete again when its line is. A line that is too long is emitted empty, so that line numbers
 * stay right; `dropped` counts such lines.
 */
export class LineSplitter {
  #pending = new Uint8Array(0);
  #length = 0;
  #overflowing = false;
  #half = "";
  #droppedLines = 0;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();

  readonly #maxBytes: number;

  constructor(maxBytes: number = LINE_BYTES_MAX) {
    this.#maxBytes = maxBytes;
  }

  get dropped(): number {
    return this.#droppedLines;
  }

  push(chunk: Uint8Array | string): string[] {
    if (typeof chunk !== "string") this.#keepHalf();
    const bytes = typeof chunk === "string" ? this.#encode(chunk) : chunk;
    const lines: string[] = [];
    let from = 0;
    for (;;) {
      const to = bytes.indexOf(NEWLINE, from);
      if (to < 0) break;
      this.#keep(bytes.subarray(from, to));
      lines.push(this.#takeLine());
      from = to + 1;
    }
    this.#keep(bytes.subarray(from));
    return lines;
  }

  /** The rest without a newline: an incomplete line. */
  end(): string[] {
    this.#keepHalf();
    return this.#length > 0 || this.#overflowing ? [this.#takeLine()] : [];
  }

  /** A string may be cut between the two halves of a character, which alone would become a replacement character. */
  #encode(text: string): Uint8Array {
    let whole = this.#half + text;
    const last = whole.charCodeAt(whole.length - 1);
    this.#half = last >= 0xd800 && last <= 0xdbff ? whole.slice(-1) : "";
    if (this.#half !== "") whole = whole.slice(0, -1);
    return this.#encoder.encode(whole);
  }

  #keepHalf(): void {
    if (this.#half === "") return;
    const half = this.#encoder.encode(this.#half);
    this.#half = "";
    this.#keep(half);
  }

  #keep(part: Uint8Array): void {
    if (this.#overflowing || part.length === 0) return;
    const length = this.#length + part.length;
    if (length > this.#maxBytes) {
      this.#overflowing = true;
      this.#length = 0;
      return;
    }
    if (length > this.#pending.length) {
      const grown = new Uint8Array(Math.max(length, this.#pending.length * 2, 1024));
      grown.set(this.#pending.subarray(0, this.#length));
      this.#pending = grown;
    }
    this.#pending.set(part, this.#length);
    this.#length = length;
  }

  #takeLine(): string {
    if (this.#overflowing) {
      this.#overflowing = false;
      this.#droppedLines++;
      this.#pending = new Uint8Array(0);
      return "";
    }
    const ends = this.#pending[this.#length - 1] === 0x0d && this.#length > 0 ? this.#length - 1 : this.#length;
    const line = this.#decoder.decode(this.#pending.subarray(0, ends));
    this.#length = 0;
    if (this.#pending.length > KEPT_CAPACITY) this.#pending = new Uint8Array(0);
    return line;
  }
}
