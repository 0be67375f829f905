/**
 * Redacts secrets from a terminal's output stream: in pieces, between colours and cursor moves, and wrapped at the edge of
 * a box. Only visible characters are replaced, so the result draws the same screen.
 *
 * An unfinished line is held back until it is finished or the caller calls `flush`. Recent output is remembered, so that
 * the rest of a secret is recognized when it arrives.
 */
import { secretSpans, type TextSpan } from "./redact.js";

const HELD_MAX = 4096;
const CONTEXT_MAX = 2048;
const ARMOUR_MAX = 16 * 1024;

export class RedactStream {
  #held = "";
  /** The last visible characters, unredacted. */
  #context = "";

  /** The text that can be released now. */
  push(text: string): string {
    const all = this.#held + text;
    const line = all.lastIndexOf("\n") + 1;
    const cut = all.length - line > HELD_MAX ? all.length : line;
    this.#held = all.slice(cut);
    return this.#redacted(all.slice(0, cut));
  }

  /** The rest, finished or not. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#redacted(rest);
  }

  #redacted(text: string): string {
    if (text === "") return "";
    const { shown, places } = showing(text);
    const before = this.#context.length;
    const all = this.#context + shown;
    const spans = withWrapped(all, secretSpans(all));
    this.#context = contextOf(all);
    const characters = spans.length > 0 ? text.split("") : [];
    for (const [from, to] of spans) {
      for (let at = Math.max(from, before); at < to; at++) {
        const place = places[at - before];
        if (place !== undefined && place >= 0) characters[place] = "*";
      }
    }
    return spans.length > 0 ? characters.join("") : text;
  }
}

/** A sequence that only changes colours or modes joins the text around it; any other sequence separates it. */
const ESCAPE = /\u001b(?:\[[0-?]{0,64}[ -/]{0,4}[@-~]|[()*+][0-9A-Za-z]|.)|[\u0000-\u0009\u000b-\u001f\u007f]/gs;
const JOINS = /^\u001b(?:\[[0-?]{0,64}[ -/]{0,4}[mhlqtu]|[()*+].)$/s;
const SPACES = /^\u001b\[[0-9]{0,4}C$|^\t$/;

/** The visible characters and their positions in the text; -1 for a cursor move. */
function showing(text: string): { shown: string; places: number[] } {
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  const keep = (to: number): void => {
    parts.push(text.slice(at, to));
    for (let place = at; place < to; place++) places.push(place);
  };
  for (const { index, 0: control } of text.matchAll(ESCAPE)) {
    keep(index);
    at = index + control.length;
    if (JOINS.test(control)) continue;
    parts.push(SPACES.test(control) ? " " : "\n");
    places.push(-1);
  }
  keep(text.length);
  return { shown: parts.join(""), places };
}

const WRAPPED = /[ \t│┃|]{0,200}\n[ \t\n│┃|]{0,200}(?=[A-Za-z_+/=.~-]{0,200}[0-9])([A-Za-z0-9_+/=.~-]{8,400})/y;
const WRAPPED_SECRET_MIN = 20;

/** A long secret at the end of a row continues in the next: programs wrap rows themselves. */
function withWrapped(text: string, spans: readonly TextSpan[]): TextSpan[] {
  return spans.flatMap((span): TextSpan[] => {
    const found: TextSpan[] = [span];
    for (let [from, to] = span; to - from >= WRAPPED_SECRET_MIN && found.length < 8; ) {
      WRAPPED.lastIndex = to;
      const rest = WRAPPED.exec(text)?.[1];
      if (rest === undefined) break;
      [from, to] = [WRAPPED.lastIndex - rest.length, WRAPPED.lastIndex];
      found.push([from, to]);
    }
    return found;
  });
}

/** An armoured key is remembered from its first line to its last. */
function contextOf(text: string): string {
  const begin = text.lastIndexOf("-----BEGIN ");
  const isOpen = begin >= 0 && text.length - begin < ARMOUR_MAX && !text.includes("-----END ", begin);
  return isOpen ? text.slice(Math.min(begin, Math.max(0, text.length - CONTEXT_MAX))) : text.slice(-CONTEXT_MAX);
}
