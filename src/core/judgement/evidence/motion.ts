/**
 * Work that a screen shows by nothing but motion. Of a program that nobody knows, a place to type into says little: some
 * keep it there while they work, and their mark of work is one that no rule knows. As long as none was ever seen, what
 * moves after a human asked is the turn, and its end the turn's end.
 */
import type { ScreenReading } from "../../signal.js";

export interface Motion {
  /** A mark of work was seen on the screen: from then on it is trusted. */
  isMarked: boolean;
  reply: string | null;
  /** The reply that stood there when a human asked. */
  asked: string | null;
  /** Since when it moves, and the reply stands. */
  movingSince: number | null;
  /** It was seen to move while nothing was said, as a spinner does: where it stands still, the work is over. */
  spins: boolean;
  /** Since when it stands still; whether that was for so long that what moves then is no part of the answer. */
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
  // A place to type into that goes away while it works is a mark, too.
  motion.isMarked ||= busy === true || (motion.asked !== null && composer === "hidden" && !dialog);
  if (motion.movingSince !== null && at - motion.movingSince >= SPINS_MS) motion.spins = true;
  if (moving && motion.stillSince !== null && at - motion.stillSince >= OVER_MS) motion.isOver = true;
  motion.movingSince = moving ? at : null;
  motion.stillSince = moving ? null : (motion.stillSince ?? at);
  motion.reply = reply;
}

/** A human asked for something: what stands there now is none of the answer. */
export function askMotion(motion: Motion): void {
  motion.asked = motion.reply;
  motion.movingSince = null;
  motion.spins = false;
  motion.stillSince = null;
  motion.isOver = false;
}

/** Is a place to type into all that says that it does not work, and something else stands there since a human asked? */
export const isGuess = (
  { isMarked, isOver, asked }: Motion,
  { busy, composer, dialog, reply }: ScreenReading,
): boolean =>
  !isMarked && !isOver && busy === false && composer !== "hidden" && !dialog && asked !== null && reply !== asked;
