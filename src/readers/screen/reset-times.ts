/**
 * When a limit that the screen speaks of ends. A row stands there for many looks, and looking for a time in it takes as
 * long as the rest of a look: a text that named none is not read again for a minute.
 */
import { readResetTime } from "../reset-time.js";
import { Memo } from "./memo.js";

const AGAIN_MS = 60_000;
const TEXTS_MAX = 16;

export class ResetTimes {
  readonly #place: { readonly zone: string };
  readonly #timeless = new Memo<{ at: number }>(TEXTS_MAX, () => ({ at: Number.NEGATIVE_INFINITY }));

  /** `zone` is the IANA zone of the terminal's user, for clock times without a zone; asked for only when there is one. */
  constructor(place: { readonly zone: string }) {
    this.#place = place;
  }

  until(text: string, at: number): number | undefined {
    const known = this.#timeless.of(text);
    if (Math.abs(at - known.at) < AGAIN_MS) return undefined;
    const until = readResetTime(text, at, this.#place.zone)?.until;
    if (until === undefined) known.at = at;
    return until;
  }
}
