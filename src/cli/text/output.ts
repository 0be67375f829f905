/**
 * The output of an agent as text for a terminal or a file: escape sequences and control bytes are removed, lines stay.
 * Chunks can split a sequence, so the parser state is kept between them.
 */
import { StringDecoder } from "node:string_decoder";

type State = "text" | "escape" | "sequence" | "string" | "string-escape";

/** Control bytes except the tab, and characters that hide or reorder text; spaces stay, unlike in `sanitize`. */
const UNSAFE =
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** A longer line is printed in parts. */
const LINE_CHARS_MAX = 64 * 1024;

export class OutputText {
  readonly #decoder = new StringDecoder("utf8");
  #state: State = "text";
  #line = "";

  take(bytes: Buffer): string {
    let out = "";
    for (const char of this.#decoder.write(bytes)) {
      if (this.#state !== "text") {
        this.#state = next(this.#state, char);
      } else if (char === "\u001b") {
        this.#state = "escape";
      } else if (char === "\n") {
        out += this.#flush();
      } else if (this.#line.length < LINE_CHARS_MAX) {
        this.#line += char;
      } else {
        out += this.#flush();
        this.#line = char;
      }
    }
    return out;
  }

  end(): string {
    return this.#line === "" ? "" : this.#flush();
  }

  /** For an overwritten line (a progress bar), the last version counts. */
  #flush(): string {
    const line = this.#line.replace(/\r+$/, "");
    this.#line = "";
    return `${line.slice(line.lastIndexOf("\r") + 1).replace(UNSAFE, "")}\n`;
  }
}

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
