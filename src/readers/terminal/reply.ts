/** The reply above status and composer, and whether it has changed since the previous check. */

import { COMPLETION_MARKER, DEFAULTS } from "../../core/defaults.js";
import { digest } from "../../core/digest.js";
import { closingOf, hasMarker } from "../../core/judgement/closing.js";
import { rowsAfterOwnText } from "../../core/judgement/noise.js";
import type { ScreenReading } from "../../core/signal.js";
import type { CompiledProfile } from "./compiled.js";
import { isReplying, lastMessageText } from "./message.js";
import { type RepeatedRows, RepeatReader } from "./repeated-rows.js";
import { oncePerRow, type ScreenRow } from "./row.js";
import { bareText, maskText, type ScreenText, wordsIn } from "./screen-text.js";

export interface Reply {
  digest: string;
  /** Digest of its last row. */
  lastLine: string;
  replying: boolean;
  /** The last rows with text, for previews. */
  tail: string[];
  /** A row states the completion marker. */
  isMarked: boolean;
  repeats: RepeatedRows | undefined;
}

type Closing = Pick<ScreenReading, "closing" | "asks">;

/** A question, with the text before it. */
const ASKS_MAX = 300;

/** Of the masked row; empty if nothing is left. */
const digestOfRow: (row: ScreenRow) => string = oncePerRow((row) => {
  const masked = maskText(row);
  return masked === "" ? "" : digest(masked);
});

export interface ReplyOptions {
  /** Last lines stored with every reading; as many as are quoted by default if not given. */
  readonly previewLines?: number;
  /** Text that agents print when all work is done; empty for none. */
  readonly marker?: string;
}

export class ReplyReader {
  readonly marker: string;
  readonly #profile: CompiledProfile;
  readonly #previewLines: number;
  #isMarked = false;
  #rows: ScreenRow[] = [];
  /** Of each row. */
  #digests: string[] = [];
  #digest = digest("");
  readonly #repeats = new RepeatReader();
  #repeated: RepeatedRows | undefined;
  /** The message that was last judged. Rows come and go below a finished message. */
  #judged: { text: string; closing: Closing | null } | null = null;

  constructor(profile: CompiledProfile, { previewLines, marker = COMPLETION_MARKER }: ReplyOptions = {}) {
    this.#profile = profile;
    this.#previewLines = previewLines ?? DEFAULTS.output_preview_lines;
    this.marker = marker;
  }

  /** The reply is the rows above `end`. */
  read(screen: ScreenText, end: number): Reply {
    if (this.#takeIn(screen.rows, end)) {
      this.#digest = digestOf(this.#digests);
      this.#repeated = this.#repeats.read(this.#rows, end);
      this.#isMarked = isMarked(this.#rows, end, this.marker);
    }
    return {
      digest: this.#digest,
      lastLine: this.#digests.at(-1) ?? "",
      replying: isReplying(this.#profile, screen, end),
      tail: lastRowsText(this.#rows, end, this.#previewLines),
      repeats: this.#repeated,
      isMarked: this.#isMarked,
    };
  }

  /** How the last message closes if it ends above row `end`, with its last lines if it asks; null if there is none. */
  closing(screen: ScreenText, end: number): Closing | null {
    const text = lastMessageText(this.#profile, screen, end);
    if (text === "") return null;
    if (this.#judged?.text !== text) {
      const said = rowsAfterOwnText(text.split("\n")).join("\n");
      const closing = closingOf(said);
      const found = closing === "question" ? { closing, asks: asksIn(said) } : { closing };
      this.#judged = { text, closing: said.trim() === "" ? null : found };
    }
    return this.#judged.closing;
  }

  /** Keeps the rows. Has more of them changed than a bullet or a clock? */
  #takeIn(rows: readonly ScreenRow[], end: number): boolean {
    let hasChanged = this.#rows.length !== end;
    this.#rows.length = this.#digests.length = Math.min(this.#rows.length, end);
    for (let y = 0; y < end; y++) {
      const row = rows[y] as ScreenRow;
      if (row === this.#rows[y]) continue;
      const known = digestOfRow(row);
      hasChanged ||= known !== this.#digests[y];
      this.#rows[y] = row;
      this.#digests[y] = known;
    }
    return hasChanged;
  }
}

/** The end of a message that asks, on one line. */
const asksIn = (text: string): string =>
  text
    .split("\n")
    .map(bareText)
    .filter((row) => row !== "")
    .join(" ")
    .slice(-ASKS_MAX);

/** A digest of digests: a row that was there before is not hashed again. */
function digestOf(digests: readonly string[]): string {
  let text = "";
  for (const known of digests) if (known !== "") text += `${known} `;
  return digest(text);
}

/** The last rows above `end` that have text. */
function lastRowsText(rows: readonly ScreenRow[], end: number, max: number): string[] {
  const tail: string[] = [];
  for (let y = end - 1; y >= 0 && tail.length < max; y--) {
    const text = wordsIn(rows[y] as ScreenRow);
    if (text !== "") tail.push(text);
  }
  return tail.reverse();
}

/** A prompt, as programs repeat it. */
const PROMPTED = /^\s{0,3}[>❯›]/;

/** A sentence about the marker may begin in the row above. */
function isMarked(rows: readonly ScreenRow[], end: number, marker: string): boolean {
  if (marker === "") return false;
  return rows.slice(0, end).some((row, y) => {
    if (!row.text.includes(marker)) return false;
    const text = `${rows[y - 1]?.text.trim() ?? ""} ${row.text.trim()}`.trim();
    return !PROMPTED.test(text) && hasMarker(text, marker);
  });
}
