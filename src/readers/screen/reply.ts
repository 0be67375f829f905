/** What the rows above status and composer say. Most looks find them as they were, so they are read when they changed. */
import { closingOf } from "../../core/closing.js";
import { digest } from "../../core/digest.js";
import type { ScreenReading } from "../../core/signal.js";
import type { CompiledProfile } from "./compiled.js";
import { Memo } from "./memo.js";
import { isReplying, messageText } from "./regions.js";
import { joinRows, maskRow } from "./screen-text.js";

export interface Reply {
  digest: string;
  /** Digest of its last row. */
  lastLine: string;
  replying: boolean;
  /** The last rows with text, for previews. */
  tail: string[];
}

type Closing = NonNullable<ScreenReading["closing"]>;

const TAIL_ROWS = 5;
const ROWS_MAX = 1024;

/** Of the masked row; empty where nothing of it is left. */
const rowDigests = new Memo<string>(ROWS_MAX, (row) => {
  const masked = maskRow(row);
  return masked === "" ? "" : digest(masked);
});

export class ReplyReader {
  readonly #profile: CompiledProfile;
  #rows: readonly string[] = [];
  #reply: Reply | null = null;
  #closing: { end: number; closing: Closing | null } | null = null;

  constructor(profile: CompiledProfile) {
    this.#profile = profile;
  }

  /** The reply is the rows above `end`. */
  read(rows: readonly string[], end: number): Reply {
    if (this.#reply && this.#isSame(rows, end)) return this.#reply;
    this.#rows = rows.slice(0, end);
    this.#closing = null;
    this.#reply = {
      digest: digestOf(this.#rows),
      lastLine: rowDigests.of(this.#rows.at(-1) ?? ""),
      replying: isReplying(this.#profile, this.#rows, end),
      tail: tailOf(this.#rows),
    };
    return this.#reply;
  }

  /** How the last message closes if it ends above row `end`; null where there is none. */
  closing(end: number): Closing | null {
    if (this.#closing?.end !== end) {
      const text = messageText(this.#profile, this.#rows, end);
      this.#closing = { end, closing: text === "" ? null : closingOf(text) };
    }
    return this.#closing.closing;
  }

  #isSame(rows: readonly string[], end: number): boolean {
    if (this.#rows.length !== end) return false;
    for (let y = end - 1; y >= 0; y--) if (rows[y] !== this.#rows[y]) return false;
    return true;
  }
}

/** A digest of digests: a row that was there before is not hashed again. */
function digestOf(rows: readonly string[]): string {
  let text = "";
  for (const row of rows) {
    const known = rowDigests.of(row);
    if (known !== "") text += `${known} `;
  }
  return digest(text);
}

function tailOf(rows: readonly string[]): string[] {
  const tail: string[] = [];
  for (let y = rows.length - 1; y >= 0 && tail.length < TAIL_ROWS; y--) {
    const text = joinRows([rows[y] as string]);
    if (text !== "") tail.unshift(text);
  }
  return tail;
}
