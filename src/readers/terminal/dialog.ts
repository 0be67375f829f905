import type { PromptKind } from "../../core/states.js";
import type { CompiledProfile } from "./compiled.js";
import type { Composer } from "./composer.js";
import { libraryPrompt } from "./library-prompt.js";
import { askedByLine, asksForText, HINT, hasHint, questionAtFoot, questionOf, ROW_MAX } from "./question.js";
import { oncePerRow, type ScreenRow } from "./row.js";
import type { Caret } from "./screen-check.js";
import { footOf, isBlank, joinRows, wordsIn } from "./screen-text.js";

export interface Dialog {
  prompt: PromptKind;
  question: string;
  limit: boolean;
  /** It stays until a user answers it, also after the limit. */
  userOnly?: boolean;
  /** Its first row; the rows above are reply. */
  top: number;
}

const SELECTED = /^[\s│┃|▌]{0,8}[❯›●▸▶►→>◉]\s{1,3}(?:(\d{1,2})[.)]\s{1,3})?(?:\[.\]\s)?\S/;
const OPTION = /^[\s│┃|▌]{0,12}(?:[❯›●▸▶►→>◉○◯]\s{1,3})?(\d{1,2})[.)]\s{1,3}(?:\[.\]\s)?\S/;
/** The key that chooses an option, beside it. */
const KEYED = /\((?:[a-z]|tab|esc|enter|return|(?:shift|ctrl|alt)[+-](?:tab|[a-z]))\)[\s│┃|]*$/i;
const LABEL = /^(?:[✓✔✗✘✕] )?[\p{L}\p{N}"'“([]/u;
/** A sign that only points at an option: a bullet also starts a message. */
const POINTS = /^[\s│┃|▌]{0,8}[❯›▸▶►→>] /;
const FRAMED = /^\s{0,4}[│┃|].*[│┃|]$/;
const ANSWER_SIGN = /^[✓✔✗✘✕] /;
/** How the two answers to a permission request start, in any program. */
const YES = /^(?:[✓✔] )?(?:yes|ok|allow|approve|accept|trust|proceed|continue|run)\b/i;
const NO = /^(?:[✗✘✕] )?(?:no|deny|reject|refuse|decline|cancel|don['’]t|exit|quit|abort)\b/i;
/**
 * One of several options, selected or not. A list of tasks may use the same signs: only the answers distinguish them.
 */
const CHOICE = /^([\s│┃|▌]{0,8})([●◉○◯])\s{1,3}(\S.*)$/;
const CHOICES_MAX = 8;
const choiceOf = oncePerRow((row): { indent: string; isChosen: boolean; label: string } | null => {
  const [, indent, sign, label] = CHOICE.exec(row.slice(0, 400)) ?? [];
  if (indent === undefined || sign === undefined || label === undefined) return null;
  return { indent, isChosen: sign === "●" || sign === "◉", label };
});
/** `● Yes / ○ No`: the answers side by side, each behind its sign. */
const SIGNED_ANSWERS = /^[\s│┃|]{0,8}[●○◉◯] (\p{L}[^/]{0,30}?) \/ [●○◉◯] (\p{L}[^/]{0,30}?)[\s│┃|]*$/u;
/** `[y] Approve   [n] Deny`: the answers side by side, each after its key. */
const KEYED_ANSWERS =
  /^[\s│┃|]{0,8}[[(](\w{1,5})[\])] ?(\p{L}[\p{L} ]{0,30}?)\s{2,}[[(](\w{1,5})[\])] ?(\p{L}[\p{L} ]{0,30}?)(?:\s{2,}.{0,120})?[\s│┃|]*$/u;
/** `<  Yes  > <  No  >`: the buttons of a window. */
const BUTTONS = /<\s{0,6}(\p{L}[\p{L} ]{0,20}?)\s{0,6}>\s{1,40}<\s{0,6}(\p{L}[\p{L} ]{0,20}?)\s{0,6}>[\s│┃|]*$/u;
/** The keys of a menu, above its options, with the keys to move. */
const MOVES = /[↑↓▲▼].{0,30}\b(?:enter|return)\b|\barrow keys\b.{0,30}\b(?:enter|return)\b/i;
const OPENS = /^\s{0,4}[╭┌]?[─━═]{9,}/;
const BLOCK_MAX = 28;

const NOT_SELECTED = { isSelected: false, number: undefined };
/** Is it drawn as the selected option, and with which number? */
const selectionOf = oncePerRow((row): { isSelected: boolean; number: string | undefined } => {
  const selected = SELECTED.exec(row);
  return selected ? { isSelected: true, number: selected[1] } : NOT_SELECTED;
});
/** Its number as an option; null if it is not one. */
const optionOf = oncePerRow((row) => OPTION.exec(row)?.[1] ?? null);
const opens = oncePerRow((row) => OPENS.test(row));
const opensBlock = oncePerRow((row) => /^(?:[╭┌]─{9,}|─{20,}$)/.test(row.trim()));
/** Does it contain both answers, with their keys or signs, or as buttons? */
const answersByKeys = oncePerRow((row) => {
  const text = row.slice(0, ROW_MAX);
  const [, , first, , second] = KEYED_ANSWERS.exec(text) ?? [];
  if (first !== undefined && second !== undefined) return isYesOrNo(first, second);
  const [, one, other] = SIGNED_ANSWERS.exec(text) ?? BUTTONS.exec(text) ?? [];
  return one !== undefined && other !== undefined && isYesOrNo(one, other);
});
/** Rows of the foot below answers that are side by side. */
const KEYED_BELOW_MAX = 4;
const BELOW_MAX = 16;

/** What is known beyond the rows; without it nothing is. */
interface DialogContext {
  /** The composer is certain: the cursor is in it, or it has a frame. */
  isComposer?: boolean;
  cursor?: (y: number) => boolean | null;
  signs?: ReadonlySet<string>;
}

/**
 * A dialog identified by its structure: a selected option near the bottom with a sibling beside it or a line of key
 * hints below. A dialog takes the composer's place: with a composer on the screen there is no dialog, unless the
 * apparent bare composer is itself one of the options.
 */
export function findDialog(
  profile: CompiledProfile,
  rows: readonly ScreenRow[],
  composer: Composer | null = null,
  caret: Caret | null = null,
  context: DialogContext = {},
): Dialog | null {
  const foot = footOf(rows);
  const { bottom, hiddenMeansDialog } = profile.profile.composer;
  if (foot < 0 || (composer && bottom !== null)) return null;
  const last = rows[foot] as ScreenRow;
  const asked = composer && composer.bottom >= foot ? null : askedByLast(profile, last, foot, composer !== null, caret);
  if (asked) return { prompt: asked, question: wordsIn(last).slice(0, 400), limit: false, top: foot };
  if (!hiddenMeansDialog && !context.isComposer) {
    const drawn = byLibrary(profile, rows, foot, context);
    if (drawn) return drawn;
  }
  if (composer && !isOption(composer, selectedOption(rows, foot))) return null;
  if (!composer && !hiddenMeansDialog) {
    const answers = keyedAnswers(rows, foot);
    if (answers !== null) return keyed(profile, rows, answers);
  }
  const start = blockStart(rows, foot);
  const block = joinRows(rows, "\n", start, foot + 1);
  const kind = profile.dialogs.find((d) => d.when.test(block));
  const option = selectedOption(rows, foot);
  if (option === null && !(kind && isNamed(profile, rows, foot, composer))) return null;
  return {
    prompt: kind?.prompt ?? "confirmation",
    question: option === null ? questionAtFoot(rows, start, foot) : questionOf(rows, start, option),
    limit: kind?.limit ?? false,
    ...(kind?.userOnly ? { userOnly: true } : {}),
    top: start,
  };
}

/**
 * The last line asks: the apparent bare composer above it is the echo of earlier input. A program with dialogs of its
 * own asks in its own words, in that very line; without a composer the whole dialog is searched for them.
 */
function askedByLast(
  profile: CompiledProfile,
  last: ScreenRow,
  foot: number,
  isBelowEcho: boolean,
  caret: Caret | null,
): PromptKind | null {
  if (!profile.profile.composer.hiddenMeansDialog) {
    // A program that prints lines waits for an answer with its cursor behind the question.
    const text = last.text.trimEnd();
    if (caret !== null && (caret.y !== foot || caret.x < text.length)) return null;
    return askedByLine(last) ?? (caret !== null && asksForText(text, caret.x) ? "input" : null);
  }
  return isBelowEcho ? (profile.dialogs.find((d) => d.when.test(last.text))?.prompt ?? null) : null;
}

/**
 * The apparent bare composer is an option of a dialog, or is above one; an option inside of it is its draft. A composer
 * identified by its frame alone may be the frame of a dialog.
 */
function isOption({ top, bottom, isUnsigned }: Composer, option: number | null): boolean {
  return option !== null && (isUnsigned ? option > top : option === top || option > bottom);
}

/** The question of a prompt library, whose first row may look like a composer. */
function byLibrary(
  profile: CompiledProfile,
  rows: readonly ScreenRow[],
  foot: number,
  { cursor, signs = new Set() }: DialogContext,
): Dialog | null {
  const found = libraryPrompt(rows, foot, { isCursorIn: (y) => cursor?.(y) ?? null, signs });
  if (!found) return null;
  // The hint of its keys says "to proceed", whatever it asks.
  const block = joinRows(rows, "\n", found.y, foot + 1).replace(HINT_TEXT, "");
  const known = profile.dialogs.find((d) => d.when.test(block));
  return {
    prompt: known?.prompt ?? (found.isTyped ? "input" : "confirmation"),
    question: questionOf(rows, Math.max(0, found.y - CONTEXT_ROWS), found.y + 1),
    limit: known?.limit ?? false,
    top: found.y,
  };
}
const CONTEXT_ROWS = 6;
const HINT_TEXT = /\([^()]{0,160}\)/g;

/** The row of keyed answers, above a foot of few rows; null if there is none. */
function keyedAnswers(rows: readonly ScreenRow[], foot: number): number | null {
  let below = 0;
  for (let y = foot; y >= 0 && below <= KEYED_BELOW_MAX; y--) {
    if (isBlank(rows[y])) continue;
    if (answersByKeys(rows[y] as ScreenRow)) return y;
    below++;
  }
  return null;
}

function keyed(profile: CompiledProfile, rows: readonly ScreenRow[], y: number): Dialog {
  const start = blockStart(rows, y);
  const block = joinRows(rows, "\n", start, y + 1);
  const prompt = profile.dialogs.find((d) => d.when.test(block))?.prompt ?? "confirmation";
  return { prompt, question: questionOf(rows, start, y), limit: false, top: Math.max(start, askedFrom(rows, y)) };
}

/** The rows above `y` that ask: without a frame, those of its last blocks. */
function askedFrom(rows: readonly ScreenRow[], y: number): number {
  let top = y;
  for (let blanks = 0; top > 0 && blanks < 3 && y - top < BLOCK_MAX; top--) if (isBlank(rows[top - 1])) blanks++;
  return top;
}

const isYesOrNo = (one: string, other: string): boolean =>
  (YES.test(one) && NO.test(other)) || (NO.test(one) && YES.test(other));

function selectedOption(rows: readonly ScreenRow[], foot: number): number | null {
  let below = 0;
  for (let y = foot; y >= 0 && below <= BELOW_MAX; y--) {
    if (isBlank(rows[y])) continue;
    const { isSelected, number } = selectionOf(rows[y] as ScreenRow);
    if (isSelected && hasSibling(rows, y, foot, number)) return y;
    below++;
  }
  return endsInKeys(rows, foot) ? numberedOption(rows, foot) : null;
}

/**
 * Some programs show the selected option by colour alone. With keys in the last row of the screen, a numbered list is a
 * dialog.
 */
function numberedOption(rows: readonly ScreenRow[], foot: number): number | null {
  let next: number | null = null;
  for (let y = foot; y >= 0 && foot - y <= BELOW_MAX; y--) {
    const row = rows[y] as ScreenRow;
    const number = Number(optionOf(row) ?? Number.NaN);
    if (number === 1) return next === 2 ? y : null;
    if (!Number.isNaN(number) && (next === null || number === next - 1)) next = number;
    else if (next !== null && !row.isBlank) return null;
  }
  return null;
}

function hasSibling(rows: readonly ScreenRow[], y: number, foot: number, number: string | undefined): boolean {
  if (number !== undefined) {
    for (let r = Math.max(0, y - 6); r <= Math.min(foot, y + 6); r++) {
      const n = r === y ? null : optionOf(rows[r] as ScreenRow);
      if (n !== null && Math.abs(Number(n) - Number(number)) === 1) return true;
    }
    return false;
  }
  if (isChoice(rows, y)) return true;
  // Without numbers, the other option must be directly beside it in the same column, and the keys named, here or below.
  const { text } = rows[y] as ScreenRow;
  const column = /^[\s│┃|▌]*\S\s+/.exec(text)?.[0].length ?? 0;
  const beside = [rows[y - 1]?.text, rows[y + 1]?.text].find(
    (row) => row !== undefined && /^[\s│┃|▌]+$/.test(row.slice(0, column)) && LABEL.test(row.slice(column)),
  );
  if (beside === undefined || !LABEL.test(text.slice(column))) return false;
  if ([text, beside].every((row) => KEYED.test(row.slice(0, ROW_MAX)))) return true;
  if (isAnswered(text, beside, column)) return true;
  if (movesAbove(rows, y)) return true;
  for (let r = y + 1; r <= Math.min(foot, y + 8); r++) if (hasHint(rows[r] as ScreenRow)) return true;
  return false;
}

/** The selected one of answers below each other, each after a round sign: one is yes, one is no. */
function isChoice(rows: readonly ScreenRow[], y: number): boolean {
  const chosen = choiceOf(rows[y] as ScreenRow);
  if (!chosen?.isChosen) return false;
  const labels = [chosen.label];
  for (const step of [-1, 1]) {
    for (let n = 1; n <= CHOICES_MAX; n++) {
      const row = rows[y + step * n];
      const other = row ? choiceOf(row) : null;
      if (!other || other.isChosen || other.indent !== chosen.indent) break;
      labels.push(other.label);
    }
  }
  return labels.some((one) => YES.test(one)) && labels.some((one) => NO.test(one));
}

/** Without key hints: yes and no, in a frame or each after its sign. Bare, they may be a draft of two lines. */
function isAnswered(row: string, beside: string, column: number): boolean {
  const [one, other] = [row.slice(column), beside.slice(column)];
  if (!POINTS.test(row) || !isYesOrNo(one, other)) return false;
  return [row, beside].every((r) => FRAMED.test(r)) || [one, other].every((label) => ANSWER_SIGN.test(label));
}

/** Below a rule or the top of a frame, and above the option: the keys to move and to choose. */
function movesAbove(rows: readonly ScreenRow[], y: number): boolean {
  for (let r = y - 1; r >= 0 && y - r <= BELOW_MAX; r--) {
    const row = rows[r] as ScreenRow;
    if (opens(row)) return false;
    if (!MOVES.test(row.text.slice(0, ROW_MAX))) continue;
    // Right above the option it may be a hint of the composer.
    return rows.slice(Math.max(0, r - 4), r).some(opens);
  }
  return false;
}

/** Without a list of options: by words if only a dialog hides the composer, else with the keys as the last row. */
function isNamed(
  profile: CompiledProfile,
  rows: readonly ScreenRow[],
  foot: number,
  composer: Composer | null,
): boolean {
  if (profile.profile.composer.hiddenMeansDialog) return bottomSaysSo(profile, rows, foot);
  return composer === null && endsInKeys(rows, foot);
}

/** The keys are the last words on the screen; only the end of a frame may be below them. */
function endsInKeys(rows: readonly ScreenRow[], foot: number): boolean {
  let y = foot;
  while (y > 0 && foot - y < 3 && !hasWords(rows[y] as ScreenRow)) y--;
  return endsInHint(rows[y] as ScreenRow);
}

const hasWords = oncePerRow((row) => /[\p{L}\p{N}]/u.test(row));
const endsInHint = oncePerRow((row) => HINT.test(row.slice(-ROW_MAX)));

/** Words alone count only in the lowest rows of the screen. */
function bottomSaysSo(profile: CompiledProfile, rows: readonly ScreenRow[], foot: number): boolean {
  const lowest = joinRows(rows, "\n", Math.max(0, foot - 11), foot + 1);
  return profile.dialogs.some((d) => d.when.test(lowest));
}

/** The dialog starts at the lowest opening frame or rule above its options, or where two blank rows end the reply. */
function blockStart(rows: readonly ScreenRow[], foot: number): number {
  let start = foot;
  for (let y = foot; y >= 0 && foot - y < BLOCK_MAX; y--) {
    start = y;
    if (foot - y > 3 && opensBlock(rows[y] as ScreenRow)) break;
  }
  return start;
}
