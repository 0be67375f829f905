/**
 * When a key was last typed into a terminal that another program holds: the time of the last read from it, as shown by
 * `w`. Linux updates it in steps of eight seconds, to hide the rhythm of a password, so it may be up to eight seconds
 * before the last key, and never after it. A terminal's own answers to its program's queries count as typed.
 */
import { statSync } from "node:fs";

/** A terminal is created, and the first queries of its program are answered, at about the start of the program. */
const BEGIN_MS = 2000;

/** Null if nothing was typed since the program started, or if unknown. */
export function typedAt(tty: string | null, startedAt: number): number | null {
  if (!tty?.startsWith("/dev/")) return null;
  try {
    const { atimeMs } = statSync(tty);
    return atimeMs > startedAt + BEGIN_MS ? Math.floor(atimeMs) : null;
  } catch {
    return null;
  }
}
