/** The agent's messages on a screen: the start of its last message, and whether the lowest part of the reply is one. */
import type { CompiledProfile } from "./compiled.js";
import { oncePerRow, type ScreenRow } from "./row.js";
import { indentOf, isBlank, type ScreenText } from "./screen-text.js";

/** A tool's header resembles a message; the tool's output is attached below it. */
const TOOL_OUTPUT = /^\s+[⎿└]\s/;
const printsOfTool = oncePerRow((row) => TOOL_OUTPUT.test(row));
export const isToolOutput = (row: ScreenRow | undefined): boolean => row !== undefined && printsOfTool(row);
export const MESSAGE_ROWS_MAX = 40;
const BAR = /^\s{0,2}┃/;
const REPLY_ROWS_MAX = 60;
const PROMPT_ECHO = /^\s*[>❯›]\s/;
const NOT_PROSE = /^\s*[┃│→$+▣~✓⎿└╰╭■✕▸]/;
const isNotProse = oncePerRow((row) => NOT_PROSE.test(row));
const echoesPrompt = oncePerRow((row) => PROMPT_ECHO.test(row));

/** The text of the agent's last message that ends at row `end`, for judging how it closes. */
export function lastMessageText(profile: CompiledProfile, screen: ScreenText, end: number): string {
  const { rows } = screen;
  const from = Math.max(0, end - MESSAGE_ROWS_MAX);
  if (profile.profile.message !== null) {
    const bare = profile.profile.bareMessages ? bareStart(screen, from, end) : end;
    for (let y = end - 1; y >= from; y--) {
      const { message } = profile.says(rows[y] as ScreenRow);
      if (message === null) continue;
      if (isToolOutput(rows[y + 1])) break;
      return unquoted([message, ...rows.slice(y + 1, end).map(({ text }) => text.trim())]);
    }
    return unquoted(rows.slice(bare, end).map(({ text }) => text.replace(BAR, "").trim()));
  }
  let y = end;
  while (y > from && !isNotProse(rows[y - 1] as ScreenRow)) y--;
  return unquoted(rows.slice(y, end).map(({ text }) => text.trim()));
}

/**
 * The start of the prose above `end` that has no sign of its own: below a tool's output and below rows with a
 * background of their own, such as a user's prompt and the blocks of tools. `end` if there is none.
 */
function bareStart(screen: ScreenText, from: number, end: number): number {
  let start = end;
  for (let y = end - 1; y >= from; y--) {
    const row = screen.rows[y] as ScreenRow;
    if (row.isBlank) start = y + 1;
    else if (isCost(row)) continue;
    else if (isBarred(row)) return barStart(screen.rows, from, y) ?? start;
    else if (isNotProse(row) || echoesPrompt(row) || screen.backed(y) === true) return start;
  }
  return start;
}

/** Some programs draw a bar beside each message, and a short row with its cost below it. */
const COST = /^\s{0,4}[~≈]?\d[\d.,]{0,9}k? tokens?$/i;
const isCost = oncePerRow((row) => COST.test(row));
const BARRED = /^\s{0,2}┃(?: \s{0,2}\S|$)/;
const isBarred = oncePerRow((row) => BARRED.test(row));

/** The speaker, above the bar; while the message streams, a spinner. */
const SPEAKER = /^\s{0,2}(?:[\u2800-\u28ff] \S.{0,60}|\S.{0,40}:)$/u;
const HUMAN = /^\s*you:/i;

/**
 * The start of a message beside a bar; null without a header that marks it as the agent's: other programs draw a bar
 * beside prompts.
 */
function barStart(rows: readonly ScreenRow[], from: number, y: number): number | null {
  let start = y;
  while (start > from && isBarred(rows[start - 1] as ScreenRow)) start--;
  let above = start - 1;
  while (above >= from && isBlank(rows[above])) above--;
  const header = rows[above]?.text ?? "";
  return SPEAKER.test(header) && !HUMAN.test(header) ? start : null;
}

/** Keys and marked options, as in a dialog. */
const FURNITURE =
  /^[\s│┃|▌*-]{0,8}[❯›●▸▶►◉]\s{1,3}\d{1,2}[.)]\s|\b(?:esc|enter|tab) to (?:cancel|confirm|select|submit|amend)\b|\bpress enter to\b|\benter confirm\b/i;

/** The time of a message, at the far right of a row. */
const STAMP = / {3}\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?$/i;

/** A question with a marked option or with keys to press is a dialog that the message quotes: what follows it counts. */
function unquoted(rows: readonly string[]): string {
  const last = rows.findLastIndex((row) => FURNITURE.test(row.slice(0, 400)));
  return rows
    .slice(last + 1)
    .map((row) => row.replace(STAMP, "").trimEnd())
    .join("\n")
    .trim();
}

/**
 * The lowest part of the reply is text of the agent, so an answer is under way or complete. An answer has paragraphs,
 * lists and code: prose is skipped upwards until a row shows its author. A tool, a frame or a prompt ends the search.
 */
export function isReplying(profile: CompiledProfile, screen: ScreenText, end: number): boolean {
  const from = Math.max(0, end - REPLY_ROWS_MAX);
  for (let y = end - 1; y >= from; y--) {
    const row = screen.rows[y] as ScreenRow;
    if (profile.says(row).isMessage) return true;
    if (row.isBlank) {
      // Without a sign of its own, a message is the lowest block of prose.
      if (profile.profile.message === null) return y < end - 1;
    } else if (echoesPrompt(row) && isRightBelow(screen.rows, y, end)) return profile.profile.bareMessages === true;
    else if (isNotProse(row) || echoesPrompt(row)) break;
  }
  return profile.profile.bareMessages === true && bareStart(screen, from, end) < end;
}

/** A line editor prints the answer right below the typed prompt; an indented row is the rest of the prompt. */
const isRightBelow = (rows: readonly ScreenRow[], echo: number, end: number): boolean =>
  echo < end - 1 && indentOf(rows[echo + 1] as ScreenRow) === 0;
