/**
 * Answers for a missing terminal. A program in a detached session sends a few queries at its start and waits for the
 * answers: Claude Code reports its state only if its query for OSC 7501 is answered, Codex wants the position of the
 * cursor. These and the device's attributes are answered, nothing else: an answer is input, and a program may print
 * text from any source.
 */
export type Query = "status" | "cursor" | "device" | "device2";

const QUERIES = /\u001b(?:\[(?:(6n)|(0?c)|(>0?c))|\]7501;\?(?:\u0007|\u001b\\))/g;
/** The longest query has 12 bytes: one that is split between two reads starts in the last 11 of the first. */
const CARRY_CHARS = 11;
/** More queries than this in one read do not come from a starting program, but from hostile output. */
const ANSWERS_MAX = 8;

export class Responder {
  #carry = "";

  /** The queries in these bytes, in order. */
  queries(bytes: Buffer): Query[] {
    if (this.#carry === "" && !bytes.includes(0x1b)) return [];
    const text = this.#carry + bytes.toString("latin1");
    const found: Query[] = [];
    let end = 0;
    for (const match of text.matchAll(QUERIES)) {
      end = match.index + match[0].length;
      found.push(match[1] ? "cursor" : match[2] ? "device" : match[3] ? "device2" : "status");
    }
    const rest = text.slice(Math.max(end, text.length - CARRY_CHARS));
    const begun = rest.indexOf("\u001b");
    this.#carry = begun < 0 ? "" : rest.slice(begun);
    return found.slice(0, ANSWERS_MAX);
  }
}

export function answerTo(query: Query, cursor: { row: number; column: number } | null): string {
  switch (query) {
    case "status":
      return "\u001b]7501;?\u001b\\";
    case "cursor":
      return `\u001b[${cursor?.row ?? 1};${cursor?.column ?? 1}R`;
    case "device":
      return "\u001b[?1;2c";
    case "device2":
      return "\u001b[>0;276;0c";
  }
}
