/**
 * The end of a limit that the screen mentions. A row stays for many checks, and parsing its time takes as long as ten
 * other checks: a row with an absolute time, or none, is not parsed again for a minute. A time relative to now is.
 */

import { BoundedMemo } from "../memo.js";
import { readResetTime } from "../reset-time/reset-time.js";

const AGAIN_MS = 60_000;
const TEXTS_MAX = 16;
const LEADING_SIGNS = /^[^\p{L}\p{N}]+/u;

export class ResetTimes {
  readonly #place: { readonly zone: string };
  readonly #read = new BoundedMemo<{ at: number; until: number | undefined }>(TEXTS_MAX, () => ({
    at: Number.NEGATIVE_INFINITY,
    until: undefined,
  }));

  /** `zone` is the IANA zone of the terminal's user, for clock times without a zone; read only when needed. */
  constructor(context: { readonly zone: string }) {
    this.#place = context;
  }

  until(row: string, at: number): number | undefined {
    // A spinner mark before the words does not change the text.
    const text = row.replace(LEADING_SIGNS, "");
    const known = this.#read.of(text);
    if (Math.abs(at - known.at) < AGAIN_MS) return known.until;
    const found = readResetTime(text, at, this.#place.zone);
    known.at = found?.how === "duration" ? Number.NEGATIVE_INFINITY : at;
    known.until = found?.until;
    return known.until;
  }
}
