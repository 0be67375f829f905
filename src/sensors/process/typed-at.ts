/**
 * When something was last typed into a terminal that somebody else holds: the moment of the last read from it, as `w`
 * shows it. Linux moves it in steps of eight seconds, so that nobody learns the rhythm of a password; it may lie so long
 * before the last key, and never after it. A terminal's own answers to its program's questions count as typed.
 */
import { statSync } from "node:fs";

/** A terminal is made, and its program's first questions are answered, about when the program starts. */
const BEGIN_MS = 2000;

/** Null where nothing was typed since the program started, or nobody can tell. */
export function typedAt(tty: string | null, startedAt: number): number | null {
  if (!tty?.startsWith("/dev/")) return null;
  try {
    const { atimeMs } = statSync(tty);
    return atimeMs > startedAt + BEGIN_MS ? Math.floor(atimeMs) : null;
  } catch {
    return null;
  }
}
