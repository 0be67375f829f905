/**
 * Noise: text that resembles work, above all the watchdog's own prompts. A watchdog that counts its own nudge as
 * activity never detects the stall again.
 */

/** Part of every prompt that rouse types, so that none counts as activity. */
export const ROUSE_MARK = "[rouse]";

/** Lower case. The list of the agent resume system; rouse's own mark is noise in any configuration. */
export const NOISE_PATTERNS: readonly string[] = [
  "resumer",
  "stall-recovery",
  "no-acknowledgments",
  "inactivity detected",
  "[c2a]",
  "#no-reply",
  "#progress-only",
];

/** A text of only a few of these words merely acknowledges a message. */
const ACKNOWLEDGING_WORDS: ReadonlySet<string> = new Set(
  `ack acknowledged affirmative agreed alright continuing copy do get going got i it it's keep moving noted now of ok
  okay on proceeding received resuming right roger sure thank thanks that the this understood will work working yes you`.split(
    /\s+/,
  ),
);
const ACKNOWLEDGING_WORDS_MAX = 8;
const TEXT_MAX = 4096;

/** Whether this text is a stall or recovery prompt (`is_resumer_prompt` of the agent resume system). */
export function isResumerPrompt(message: string): boolean {
  if (typeof message !== "string") return false;
  const text = message.slice(0, TEXT_MAX).toLowerCase();
  return text.includes(ROUSE_MARK) || NOISE_PATTERNS.some((pattern) => text.includes(pattern));
}

/**
 * The rows below the last prompt of rouse, all rows if there is none. The mark ends such a prompt; a terminal may wrap
 * it in the middle.
 */
export function rowsAfterOwnText(rows: readonly string[]): readonly string[] {
  if (!holdsMark(rows)) return rows;
  for (let from = rows.length - 1; from >= 0; from--) {
    if (!holdsMark(rows.slice(from))) continue;
    let to = from + 1;
    while (!holdsMark(rows.slice(from, to))) to++;
    return rows.slice(to);
  }
  return rows;
}

/** Borders and spaces around the wrapped parts do not count. */
const holdsMark = (rows: readonly string[]): boolean =>
  rows
    .join("")
    .replace(/[\s│┃|▌]+/g, "")
    .includes(ROUSE_MARK);

/** Whether the text contains one of the user's own patterns (`activity.noise_patterns`). */
export function holdsOneOf(patterns: readonly string[] | undefined, text: string | undefined): boolean {
  if (!patterns || patterns.length === 0 || text === undefined) return false;
  const lower = text.toLowerCase();
  return patterns.some((pattern) => pattern !== "" && lower.includes(pattern.toLowerCase()));
}

/** "Got it, resuming now." and similar texts without content. */
export function isAcknowledgement(message: string): boolean {
  if (typeof message !== "string" || message.length > 120) return false;
  const words = message.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  return (
    words.length > 0 && words.length <= ACKNOWLEDGING_WORDS_MAX && words.every((word) => ACKNOWLEDGING_WORDS.has(word))
  );
}

/** A recovery prompt or an acknowledgement. A signal without text is not noise. */
export function isNoise(text: string | undefined): boolean {
  return text !== undefined && (isResumerPrompt(text) || isAcknowledgement(text));
}
