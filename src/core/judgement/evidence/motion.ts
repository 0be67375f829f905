/**
 * Work that a screen shows only by motion. In an unknown program, a visible input field proves little: some keep it
 * visible during work, with a busy mark that no rule knows. Until a known mark appears, motion after a request counts
 * as the turn, and its end as the end of the turn.
 */
import type { ScreenReading } from "../../signal.js";

export interface Motion {
  /** A busy mark was seen on the screen: from then on it is trusted. */
  isMarked: boolean;
  reply: string | null;
  /** The visible reply at the time of the request. */
  asked: string | null;
  /** Since when the screen moves while the reply is unchanged. */
  movingSince: number | null;
  /** The screen moved without new text, as a spinner does: when it stops, the work is over. */
  spins: boolean;
  /** Since when the screen is still, and whether for so long that later motion is not part of the answer. */
  stillSince: number | null;
  isOver: boolean;
}

const SPINS_MS = 4000;
const OVER_MS = 45_000;

export const createMotion = (): Motion => ({
  isMarked: false,
  reply: null,
  asked: null,
  movingSince: null,
  spins: false,
  stillSince: null,
  isOver: false,
});

export function takeMotion(motion: Motion, { busy, moving, reply, composer, dialog }: ScreenReading, at: number): void {
  // An input field that disappears during work is a mark, too.
  motion.isMarked ||= busy === true || (motion.asked !== null && composer === "hidden" && !dialog);
  if (motion.movingSince !== null && at - motion.movingSince >= SPINS_MS) motion.spins = true;
  if (moving && motion.stillSince !== null && at - motion.stillSince >= OVER_MS) motion.isOver = true;
  motion.movingSince = moving ? at : null;
  motion.stillSince = moving ? null : (motion.stillSince ?? at);
  motion.reply = reply;
}

/** A request was made: nothing visible now is part of the answer. */
export function askMotion(motion: Motion): void {
  motion.asked = motion.reply;
  motion.movingSince = null;
  motion.spins = false;
  motion.stillSince = null;
  motion.isOver = false;
}

/** Whether a visible input field is the only sign of idleness, and the reply has changed since the request. */
export const isGuess = (
  { isMarked, isOver, asked }: Motion,
  { busy, composer, dialog, reply }: ScreenReading,
): boolean =>
  !isMarked && !isOver && busy === false && composer !== "hidden" && !dialog && asked !== null && reply !== asked;
