/**
 * Secrets taken out of a terminal's output as it comes: in pieces, between colours and cursor moves, and broken at the
 * edge of a box. Only characters that show are replaced, so what is left draws the same screen.
 *
 * The line that is not finished is held back until it is, or until the caller has waited long enough (`flush`). What
 * went out before is remembered for a while, so that the rest of a secret is known as such when it comes.
 */
import { secretSpans, type TextSpan } from "./redact.js";

const HELD_MAX = 4096;
const CONTEXT_MAX = 2048;
const ARMOUR_MAX = 16 * 1024;

export class RedactStream {
  #held = "";
  /** The last characters that were shown, as they were. */
  #context = "";

  /** What may go out by now. */
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

/** A run of characters that only change colours or modes joins what it stands between; any other separates it. */
const ESCAPE = /\u001b(?:\[[0-?]{0,64}[ -/]{0,4}[@-~]|[()*+][0-9A-Za-z]|.)|[\u0000-\u0009\u000b-\u001f\u007f]/gs;
const JOINS = /^\u001b(?:\[[0-?]{0,64}[ -/]{0,4}[mhlqtu]|[()*+].)$/s;
const SPACES = /^\u001b\[[0-9]{0,4}C$|^\t$/;

/** The characters that show, and where in the text each stands; -1 for what stands for a move. */
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

/** A long secret at the end of a row goes on in the next: programs break rows themselves. */
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

/** A key in armour is remembered from its first line on, until its last came. */
function contextOf(text: string): string {
  const begin = text.lastIndexOf("-----BEGIN ");
  const isOpen = begin >= 0 && text.length - begin < ARMOUR_MAX && !text.includes("-----END ", begin);
  return isOpen ? text.slice(Math.min(begin, Math.max(0, text.length - CONTEXT_MAX))) : text.slice(-CONTEXT_MAX);
}
