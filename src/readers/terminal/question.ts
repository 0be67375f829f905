/** The question of a dialog: the row that asks, and its subject. */
import type { PromptKind } from "../../core/states.js";
import { oncePerRow, type ScreenRow } from "./row.js";
import { wordsIn } from "./screen-text.js";

/** Longest part of a row that is matched. */
export const ROW_MAX = 400;
export const HINT = /\b(?:enter|return)\b.{0,12}\b(?:confirm|select|continue|submit|choose|accept)\b/i;
/** It contains the key that chooses. */
export const hasHint = oncePerRow((row) => HINT.test(row.slice(0, ROW_MAX)));

/** Programs without dialogs ask in one line, the last one on the screen. */
const LINE_QUESTIONS: readonly { prompt: PromptKind; when: RegExp }[] = [
  {
    prompt: "login",
    when: /\b(?:password|passphrase|passcode|verification code|one-time code|api key|access token)\b(?: for '[^']{0,100}'|[^:]{0,60}):\s*$/i,
  },
  {
    prompt: "login",
    when: /^\W{0,3}(?:(?:your|enter|github|git|\w{2,20}) ){0,3}(?:user ?name|login)\b(?: for '[^']{0,100}'|[^:]{0,60}):\s*$/i,
  },
  { prompt: "confirmation", when: /[([](?:y\/n|yes\/no|y\/n\/a)[^\])]{0,16}[)\]]{1,2}[^\w]{0,3}$/i },
  { prompt: "confirmation", when: /\(y\)es\W{1,3}(?:or )?\(n\)o\b.{0,60}$/i },
  {
    prompt: "confirmation",
    when: /\b(?:press|hit) \W?(?:enter|return|any key)\b\W?(?: to (?:continue|proceed|start|begin|retry|confirm|exit|close)(?: the(?: \w+){1,3})?(?:,? or [^.?!]{1,50})?)?\W{0,8}$/i,
  },
];

/** What an answer may be about if the question says so. */
const LOGIN = /\b(?:log ?in|sign ?in|authenticate|authori[sz]e)\b/i;

/** The kind of prompt of such a row; null for any other. */
export const askedByLine = oncePerRow((row): PromptKind | null => {
  const tail = row.slice(-200).trimEnd();
  const prompt = LINE_QUESTIONS.find(({ when }) => when.test(tail))?.prompt ?? null;
  return prompt === "confirmation" && LOGIN.test(tail) ? "login" : prompt;
});

/** A question, a field with its default, or the row of a prompt library: an answer is typed behind it. */
const OPEN_QUESTIONS: readonly RegExp[] = [
  /[?？]$/,
  /^\? \S/,
  /^[\w ./-]{2,40}: \([^()]{0,80}\)$/,
  /\b(?:enter|type|choose|select|provide|specify|pick)\b[^:?]{0,80}:$/i,
  // The possible answers, or the default of a question.
  /\[[a-z][\w-]{0,20}(?:\/[\w-]{1,20}){1,8}\](?: \([^()]{1,40}\))?:$/i,
  /^(?:which|what|how|who|where|when|enter|type|choose|select|your)\b.{0,120}\([^()]{1,60}\):$/i,
];

/** Does the row ask for an answer to be typed behind it? A program that only waits leaves no space for one. */
export const asksForText = (row: string, cursorX: number): boolean =>
  cursorX > row.length && row.length <= ROW_MAX && OPEN_QUESTIONS.some((when) => when.test(row));

/** Without options the last row asks, unless it contains keys and a row above it asks. */
export function questionAtFoot(rows: readonly ScreenRow[], start: number, foot: number): string {
  const above = questionOf(rows, start, foot);
  const last = rows[foot] as ScreenRow;
  return hasHint(last) || /[?？](?: ·|$)/.test(above) ? above : [wordsIn(last), above].join(" · ").slice(0, 400);
}

/** The row that asks, with its subject: the last rows above the options, the most specific first. */
export function questionOf(rows: readonly ScreenRow[], start: number, option: number): string {
  const above = rows.slice(start, option).map(wordsIn).filter(Boolean);
  const asking = above.findLast((row) => /[?？]\s*$/.test(row));
  const context = above.filter((row) => row !== asking).slice(-4);
  return [...(asking ? [asking] : []), ...context].join(" · ").slice(0, 400);
}
