/**
 * The questions that prompt libraries draw: a row that asks, its answers or its field right below, and nothing else
 * below these. The sign of an open question differs from that of an answered one, or the answer follows in its row.
 */
import { oncePerRow, type ScreenRow } from "./row.js";
import { wordsIn } from "./screen-text.js";

export interface LibraryPrompt {
  /** The row that asks. */
  y: number;
  /** An answer is typed; otherwise one is chosen. */
  isTyped: boolean;
}

interface PromptContext {
  /** Null if unknown. */
  isCursorIn: (y: number) => boolean | null;
  /** Signs of the program's own input field: an option does not begin with them. */
  signs: ReadonlySet<string>;
}

const ROWS_MAX = 24;

const ENDS_GUTTER = /^[└╰]─{0,4}(?: {1,3}\S.*)?$/;
const IN_GUTTER = /^[│┃|](?:\s|$)/;
const OPEN_IN_GUTTER = /^[◆▲] {1,3}\S/u;
const endsGutter = oncePerRow((row) => ENDS_GUTTER.test(row));
const isInGutter = oncePerRow((row) => IN_GUTTER.test(row));

/** A field beside a bar that ends below it. Text at its end is the reason why the last answer was not valid. */
function inGutter(rows: readonly ScreenRow[], foot: number): LibraryPrompt | null {
  const end = rows[foot] as ScreenRow;
  if (!endsGutter(end)) return null;
  let y = foot - 1;
  while (y > 0 && foot - y < ROWS_MAX && isInGutter(rows[y] as ScreenRow)) y--;
  const field = rows.slice(y + 1, foot);
  const asks = rows[y]?.text ?? "";
  if (!OPEN_IN_GUTTER.test(asks) || asks.startsWith("▲") !== wordsIn(end).length > 1) return null;
  if (field.every((row) => wordsIn(row) === "")) return null;
  return { y, isTyped: !field.some((row) => isChoice(row)) };
}

const SIGNED = /^[?❓] {1,2}(?!for )\S/u;
/** The question mark is followed by something else than a hint: the answer. */
const ANSWERED = /\S[?？] {1,2}[^\s([<›»‣…·-]/u;
const ASKS = /[?？]$/;
const POINTED = /^ {0,4}([❯›▸▶►→>»])( {0,3})(?:[◯◉○●◻◼☐☑] {0,2})?\S/u;
const MARKED = /^[\s│┃|]{0,4}[◯◉○●◻◼☐☑] {1,3}\S/u;
const NUMBERED = /^ {1,4}\d{1,2}[.)] \S/;
const BOXED = /^[\s│┃|]{0,4}[◻◼☐☑]/u;
const CHOSEN = /^[\s│┃|]{0,4}[●◉]/u;
const KEYS =
  /[↑↓⏎↵]|<(?:space|enter|return|tab|a|i)>|\b(?:enter|return|space|tab|esc|arrow keys|ctrl ?[+-] ?\w)\b|^(?:Instructions|Answer):$|^ ?\(?[^()]{1,60}\)$/i;
const SPINS = /[\u2800-\u28ff◐◑◒◓]/u;
const ROW_MAX = 200;

type Part = "asks" | "signed" | "pointed" | "marked" | "numbered" | "hangs" | "keys" | "spins" | "other";

const partOf = oncePerRow((row): Part => {
  const text = row.slice(0, ROW_MAX);
  if (SIGNED.test(text)) return ANSWERED.test(text) ? "other" : "signed";
  if (SPINS.test(text)) return "spins";
  if (POINTED.test(text)) return "pointed";
  if (MARKED.test(text)) return "marked";
  if (NUMBERED.test(text)) return "numbered";
  if (KEYS.test(text)) return "keys";
  if (/^ {2,}\S/.test(text)) return "hangs";
  return ASKS.test(text.trimEnd()) ? "asks" : "other";
});
const isChoice = (row: ScreenRow): boolean => ["pointed", "marked"].includes(partOf(row)) || MARKED.test(row.text);

/** Answers below the row that asks, one of them pointed at or each behind its mark; or that row alone, with the cursor. */
function withAnswers(rows: readonly ScreenRow[], foot: number, context: PromptContext): LibraryPrompt | null {
  for (let y = foot; y >= 0 && foot - y < ROWS_MAX; y--) {
    const row = rows[y] as ScreenRow;
    if (row.isBlank) continue;
    const part = partOf(row);
    if (part === "other" || part === "spins") return null;
    const answers = rows.slice(y + 1, foot + 1).filter((below) => !below.isBlank);
    if (
      part === "pointed" &&
      ASKS.test(row.text) &&
      answers.length > 0 &&
      answers.every((below) => partOf(below) === "marked")
    )
      return { y, isTyped: false };
    if (part !== "signed" && part !== "asks") continue;
    if (part === "signed" && answers.every((below) => partOf(below) === "keys"))
      return context.isCursorIn(y) ? { y, isTyped: true } : null;
    if (part === "asks" && !isApart(y + 1, foot, context)) return null;
    return isList(answers, part === "signed", context) ? { y, isTyped: false } : null;
  }
  return null;
}

/** The cursor is elsewhere: with it, the rows may be a draft below a question. */
function isApart(from: number, to: number, { isCursorIn }: PromptContext): boolean {
  for (let y = from; y <= to; y++) if (isCursorIn(y) !== false) return false;
  return true;
}

/** Boxes and numbers below a row without a sign may be a list of tasks. */
function isList(answers: readonly ScreenRow[], isSigned: boolean, { signs }: PromptContext): boolean {
  const parts = answers.map(partOf);
  const pointer = parts.indexOf("pointed");
  if (pointer >= 0) return parts.lastIndexOf("pointed") === pointer && isPointedAt(answers, pointer, signs);
  const marked = answers.filter((_, n) => parts[n] === "marked");
  if (marked.length < 2) return isSigned && parts.filter((part) => part === "numbered").length > 1;
  if (isSigned) return true;
  return (
    marked.length === answers.length &&
    marked.filter(({ text }) => CHOSEN.test(text)).length === 1 &&
    !marked.some(({ text }) => BOXED.test(text))
  );
}

/** The option above or below begins in the same column. */
function isPointedAt(answers: readonly ScreenRow[], at: number, signs: ReadonlySet<string>): boolean {
  const { text } = answers[at] as ScreenRow;
  const [, sign = "", gap = ""] = POINTED.exec(text) ?? [];
  if (signs.has(sign)) return false;
  const column = text.indexOf(sign) + 1 + gap.length;
  return [answers[at - 1], answers[at + 1]].some((beside) => beside?.text.search(/\S/) === column);
}

/** The open question at the end of the screen; null if there is none. */
export const libraryPrompt = (rows: readonly ScreenRow[], foot: number, context: PromptContext): LibraryPrompt | null =>
  inGutter(rows, foot) ?? withAnswers(rows, foot, context);
