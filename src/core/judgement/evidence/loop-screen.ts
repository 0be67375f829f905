/**
 * Repeats that a screen shows: the same message, call and result, one below the other. Who sees the calls themselves
 * knows better, so this counts only where nothing else tells of them. A time that came long after the one before, or after
 * the world changed, is no repeat.
 */
import type { ScreenSignal } from "../../signal.js";
import { REPORT, SPACED_MS } from "./loop-repeats.js";

export interface ShownRepeat {
  digest: string;
  text: string;
  rows: number;
  times: number;
  /** Of these, those that can be explained. */
  explained: number;
  isThere: boolean;
  since: number;
  grownAt: number;
}

/** What is shown after this signal. */
export function takeShown(before: ShownRepeat | null, { at, reading: { repeats } }: ScreenSignal): ShownRepeat | null {
  if (!repeats) return before?.isThere ? { ...before, isThere: false } : before;
  const { digest, text, rows, times } = repeats;
  if (before?.digest !== digest)
    return { digest, text, rows, times, explained: 0, isThere: true, since: at, grownAt: at };
  // Something else stood there: what was seen before it is another matter.
  if (!before.isThere)
    return { ...before, rows, times, explained: Math.min(before.explained, times), isThere: true, grownAt: at };
  // What scrolled off the screen has been there all the same.
  const grown = times - before.times;
  if (grown <= 0) return before;
  const explained = before.explained + (at - before.grownAt >= SPACED_MS ? grown : 0);
  return { ...before, rows, times, explained, isThere: true, grownAt: at };
}

/** The world changed: what was shown before led somewhere. */
export const explainShown = (shown: ShownRepeat | null): ShownRepeat | null =>
  shown && { ...shown, explained: shown.times };

export const isLoopShown = (shown: ShownRepeat | null): shown is ShownRepeat =>
  shown?.isThere === true && shown.times - shown.explained >= REPORT;
