/**
 * Keeps the answers of viewers' terminals away from the agent. The responder answers a spawned agent's queries once;
 * viewers receive the same queries, live and again in the snapshot, and their terminals answer them all. Keys pass,
 * including similar sequences such as F3 with a modifier (`ESC [ 1 ; 2 R`).
 */
const ANSWER =
  /\u001b\[(?:[?>=][\d;]{0,40}[cnu]|\?[\d;]{0,40}\$y|0n|(?!1;[2-8]R)\d{1,5};\d{1,5}R|[468];\d{1,5};\d{1,5}t)/g;
/** Only the starts of answers: Alt-P and Alt-] are keys. */
const STRING_START = /\u001b(?:P[>!01]|\]\d|_G)/;
const STRING_END = /\u0007|\u001b\\/;
/** An unterminated answer is dropped up to this length; after it, input counts as keys again. */
const STRING_MAX = 8192;

export class AnswerFilter {
  /** Bytes of a control string that has not ended yet; null outside of one. */
  #inside: number | null = null;
  #carry = "";

  /** Keeps the keys that the user typed, and removes the answers of the terminal. */
  keys(bytes: Buffer): Buffer {
    let text = this.#carry + bytes.toString("latin1");
    this.#carry = "";
    let kept = "";
    while (text !== "") {
      if (this.#inside !== null) {
        const end = STRING_END.exec(text);
        const over = this.#inside + text.length > STRING_MAX;
        if (!end && !over) {
          this.#inside += text.length;
          // The terminator has two bytes, and may be cut between them.
          if (text.endsWith("\u001b")) this.#carry = "\u001b";
          break;
        }
        this.#inside = null;
        text = end ? text.slice(end.index + end[0].length) : "";
        continue;
      }
      const start = STRING_START.exec(text);
      kept += start ? text.slice(0, start.index) : text;
      if (!start) break;
      this.#inside = 0;
      text = text.slice(start.index + start[0].length);
    }
    return Buffer.from(kept.replace(ANSWER, ""), "latin1");
  }
}
