/**
 * Noise: text that looks like work and is none, above all the watchdog's own prompts. A watchdog that takes its
 * own nudge for a sign of life never finds the agent stalled again.
 */

/** Stands in every prompt that rouse types, so that it is never taken for activity. */
export const ROUSE_MARK = "[rouse]";

/** Lower case. The seed's list; our own mark is noise whatever is configured. */
export const NOISE_PATTERNS: readonly string[] = [
  "resumer",
  "stall-recovery",
  "no-acknowledgments",
  "inactivity detected",
  "[c2a]",
  "#no-reply",
  "#progress-only",
];

/** A text of a few of these words only says that a message was read. */
const ACKNOWLEDGING_WORDS: ReadonlySet<string> = new Set(
  `ack acknowledged affirmative agreed alright continuing copy do get going got i it it's keep moving noted now of ok
  okay on proceeding received resuming right roger sure thank thanks that the this understood will work working yes you`.split(
    /\s+/,
  ),
);
const ACKNOWLEDGING_WORDS_MAX = 8;
const TEXT_MAX = 4096;

/** Is this text a stall or recovery prompt (`is_resumer_prompt` of the seed)? */
export function isResumerPrompt(message: string): boolean {
  if (typeof message !== "string") return false;
  const text = message.slice(0, TEXT_MAX).toLowerCase();
  return text.includes(ROUSE_MARK) || NOISE_PATTERNS.some((pattern) => text.includes(pattern));
}

/** Does the text hold one of the user's own patterns (`activity.noise_patterns`)? */
export function holdsOneOf(patterns: readonly string[] | undefined, text: string | undefined): boolean {
  if (!patterns || patterns.length === 0 || text === undefined) return false;
  const lower = text.toLowerCase();
  return patterns.some((pattern) => pattern !== "" && lower.includes(pattern.toLowerCase()));
}

/** "Got it, resuming now." and the like: nothing but words of acknowledgement. */
export function isAcknowledgement(message: string): boolean {
  if (typeof message !== "string" || message.length > 120) return false;
  const words = message.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  return (
    words.length > 0 && words.length <= ACKNOWLEDGING_WORDS_MAX && words.every((word) => ACKNOWLEDGING_WORDS.has(word))
  );
}

/** Neither a recovery prompt nor an acknowledgement. No text is no noise: the fact speaks for itself. */
export function isNoise(text: string | undefined): boolean {
  return text !== undefined && (isResumerPrompt(text) || isAcknowledgement(text));
}
