/**
 * Repeats on a screen: the same message, call and result, one below the other. Sources that see the calls themselves
 * are better, so this counts only if there are none. A repetition long after the previous one, or after a change of the
 * world, does not count.
 */
import type { ScreenSignal } from "../../signal.js";
import { REPORT, SPACED_MS } from "./loop-repeats.js";

export interface ShownRepeat {
  digest: string;
  text: string;
  rows: number;
  times: number;
  /** Those that have an explanation. */
  explained: number;
  isThere: boolean;
  since: number;
  grownAt: number;
}

/** The repeat after this signal. */
export function takeShownRepeat(
  before: ShownRepeat | null,
  { at, reading: { repeats } }: ScreenSignal,
): ShownRepeat | null {
  if (!repeats) return before?.isThere ? { ...before, isThere: false } : before;
  const { digest, text, rows, times } = repeats;
  if (before?.digest !== digest)
    return { digest, text, rows, times, explained: 0, isThere: true, since: at, grownAt: at };
  // Other content was visible in between, so earlier repeats are a separate matter.
  if (!before.isThere)
    return { ...before, rows, times, explained: Math.min(before.explained, times), isThere: true, grownAt: at };
  // Rows that scrolled off the screen still count.
  const grown = times - before.times;
  if (grown <= 0) return before;
  const explained = before.explained + (at - before.grownAt >= SPACED_MS ? grown : 0);
  return { ...before, rows, times, explained, isThere: true, grownAt: at };
}

/** The world changed: the earlier repeats had an effect. */
export const explainShown = (shown: ShownRepeat | null): ShownRepeat | null =>
  shown && { ...shown, explained: shown.times };

export const isLoopShown = (shown: ShownRepeat | null): shown is ShownRepeat =>
  shown?.isThere === true && shown.times - shown.explained >= REPORT;
