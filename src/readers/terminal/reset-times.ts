/**
 * When a limit that the screen speaks of ends. A row stands there for many looks, and looking for a time in it takes as
 * long as the rest of ten looks: what names a moment, or none, is not read again for a minute. What counts from now is.
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

  /** `zone` is the IANA zone of the terminal's user, for clock times without a zone; asked for only when there is one. */
  constructor(context: { readonly zone: string }) {
    this.#place = context;
  }

  until(row: string, at: number): number | undefined {
    // The mark of a spinner before its words makes no other text of them.
    const text = row.replace(LEADING_SIGNS, "");
    const known = this.#read.of(text);
    if (Math.abs(at - known.at) < AGAIN_MS) return known.until;
    const found = readResetTime(text, at, this.#place.zone);
    known.at = found?.how === "duration" ? Number.NEGATIVE_INFINITY : at;
    known.until = found?.until;
    return known.until;
  }
}
