/**
 * The output of an agent as text for a terminal or a file, as the terminal would show it line by line: movements within
 * a line become spaces, movements to another line become line ends, colours and control bytes are removed. Chunks can
 * split a sequence, so the parser state is kept between them.
 */
import { StringDecoder } from "node:string_decoder";

type State = "text" | "escape" | "sequence" | "string" | "string-escape";

/** Control bytes except the tab, and characters that hide or reorder text; spaces stay, unlike in `sanitize`. */
const UNSAFE =
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** A longer line is printed in parts. */
const LINE_CHARS_MAX = 64 * 1024;
/** No terminal is wider. */
const COLUMNS_MAX = 1000;
/** Read at once: a few bytes that move to the right become a line of spaces. */
const PIECE_BYTES = 16 * 1024;
const SEQUENCE_MAX = 64;

export class OutputText {
  readonly #decoder = new StringDecoder("utf8");
  #state: State = "text";
  #sequence = "";
  /** No move leads further. */
  readonly #columns: number;
  #line: string[] = [];
  #column = 0;

  constructor(columns: number = COLUMNS_MAX) {
    this.#columns = Math.min(columns, COLUMNS_MAX);
  }

  /** The text of the bytes, in pieces. */
  *take(bytes: Buffer): Generator<string> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield this.#read(bytes.subarray(at, at + PIECE_BYTES));
  }

  #read(bytes: Buffer): string {
    let out = "";
    for (const char of this.#decoder.write(bytes)) {
      if (this.#state !== "text") out += this.#control(char);
      else if (char === "\u001b") this.#state = "escape";
      else if (char === "\n") out += this.#flush();
      else if (char === "\r") this.#column = 0;
      else if (char === "\b") this.#column = Math.max(0, this.#column - 1);
      else {
        if (this.#column >= LINE_CHARS_MAX) out += this.#flush();
        this.#put(char);
      }
    }
    return out;
  }

  end(): string {
    return this.#line.length === 0 ? "" : this.#flush();
  }

  #put(char: string): void {
    while (this.#line.length < this.#column) this.#line.push(" ");
    this.#line[this.#column++] = char;
  }

  #control(char: string): string {
    const before = this.#state;
    if (before === "sequence" && this.#sequence.length < SEQUENCE_MAX) this.#sequence += char;
    this.#state = next(before, char);
    if (this.#state === "sequence" && before === "escape") this.#sequence = "";
    if (this.#state !== "text") return "";
    return before === "sequence" ? this.#move() : "";
  }

  /** What a complete control sequence does to the cursor and the line. */
  #move(): string {
    const [, first = "", last = "", kind = ""] = SEQUENCE.exec(this.#sequence) ?? [];
    const count = Math.min(this.#columns, Math.max(1, Number(first) || 1));
    switch (kind) {
      case "C":
      case "a":
        this.#column = Math.max(this.#column, Math.min(this.#columns, this.#column + count));
        return "";
      case "D":
        this.#column = Math.max(0, this.#column - count);
        return "";
      case "G":
      case "`":
        this.#column = count - 1;
        return "";
      case "K":
        this.#erase(first);
        return "";
      case "A":
      case "B":
      case "d":
      case "e":
        return this.#leave(this.#column);
      case "E":
      case "F":
        return this.#leave(0);
      case "H":
      case "f":
        return this.#leave(Math.min(this.#columns, Math.max(1, Number(last) || 1)) - 1);
      default:
        return "";
    }
  }

  #erase(what: string): void {
    if (what === "2") this.#line = [];
    else if (what === "1") this.#line.fill(" ", 0, this.#column + 1);
    else this.#line.length = Math.min(this.#line.length, this.#column);
  }

  /** The cursor moves to another line. */
  #leave(column: number): string {
    const out = this.end();
    this.#column = column;
    return out;
  }

  #flush(): string {
    const line = this.#line.join("").replace(UNSAFE, "");
    this.#line = [];
    this.#column = 0;
    return `${line}\n`;
  }
}

const SEQUENCE = /^(\d{0,5})(?:;(\d{0,5}))?([@-~])$/;

function next(state: State, char: string): State {
  switch (state) {
    case "escape":
      if (char === "[") return "sequence";
      if ("]P_^X".includes(char)) return "string";
      // Intermediate byte: the final byte follows.
      return char >= " " && char <= "/" ? "escape" : "text";
    case "sequence":
      return char >= "@" && char <= "~" ? "text" : "sequence";
    case "string":
      if (char === "\u001b") return "string-escape";
      return char === "\u0007" || char === "\u0018" ? "text" : "string";
    default:
      return char === "\\" ? "text" : "string";
  }
}
