/** Rows of a fragment: their words, and whether they are the program's own or something that it shows. */
import { CHROME, QUOTED, SHELL_COMMAND, TOOL_HEADER } from "../../agents/fragment-shapes.js";
import { pattern } from "../../agents/pattern.js";
import { bareText } from "../screen/screen-text.js";

/** A bar or a frame alone says nothing either. */
export const isBlank = (row: string | undefined): boolean => !row || /^[\s│┃▌]*$/.test(row);

const ROWS_MAX = 200;
const ROW_MAX = 2000;
const ESCAPES = /\u001b(?:\[[0-9;?]{0,32}[A-Za-z]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\))/g;

/** Codex prints its headless messages behind a time; any log may do that, but not with these words. */
const STAMP = /^\[\d{4}-\d{2}-\d{2}T[\d:.]{5,16}Z?\] /;
const EXEC_ROW = /^\[\d{4}-\d{2}-\d{2}T[\d:.]{5,16}Z?\] (?:thinking|codex|exec|tokens used|User instructions)\b/;

export function rowsOf(text: string): string[] {
  const rows = text
    .slice(-ROWS_MAX * ROW_MAX)
    .replace(ESCAPES, "")
    .split(/\r?\n/);
  const kept = rows.slice(-ROWS_MAX).map((row) => row.slice(0, ROW_MAX).replaceAll("\u00a0", " ").trimEnd());
  return kept.some((row) => EXEC_ROW.test(row)) ? kept.map((row) => row.replace(STAMP, "")) : kept;
}

const GLYPH =
  /^[\s│┃▌░▒▓█]{0,12}(?:[●⏺■⬝✕✗✘×⎿└╰•◦·✢✳✶✻✽∗✦△▲◆⬡⬢∿◉∴»*!\u2600-\u26ff\u2800-\u28ff\p{Extended_Pictographic}]{1,8}\ufe0f?\s{0,4}){0,2}/u;

/** A statement as its words: without glyph and frame, rows joined, typography made plain. */
export function wordsOf(rows: readonly string[]): string {
  const [first = "", ...more] = rows;
  return [first.replace(GLYPH, ""), ...more.map(bareText)]
    .join(" ")
    .replace(/[’‘]/g, "'")
    .replace(/[∙•⋅]/g, "·")
    .replace(/\s{1,2000}/g, " ")
    .replace(/[ │┃]{1,400}$/, "")
    .trim();
}

const hasGlyph = (row: string): boolean => /[^\s│┃▌]/.test(GLYPH.exec(row)?.[0] ?? "");
export const withoutGlyph = (row: string): string => row.replace(GLYPH, "");

const chrome = CHROME.map(pattern);
const quoted = QUOTED.map(pattern);
const shellCommand = pattern(SHELL_COMMAND);
const toolHeader = pattern(TOOL_HEADER);

export const isChrome = (row: string): boolean => chrome.some((p) => p.test(row));
export const isQuoted = (row: string): boolean => quoted.some((p) => p.test(row));
export const isToolHeader = (row: string): boolean => toolHeader.test(row);
export const isMessage = (row: string): boolean => /^\s{0,2}[●⏺•✦◆]\s/.test(row);
/** Frames count as blanks. */
export const indentOf = (row: string): number => /^[\s│┃▌]{0,400}/.exec(row)?.[0].length ?? 0;

const CODE =
  /[;{]$|=>|^\s*(?:const|let|var|if|for|return|export|import|def|class|fn|func|pub|expect|it|test|describe)\b.{0,200}[({=:]/;
const DIFF = /^@@ |^\s{0,8}\d{1,6} [+-] |^[+-]\S|^diff --git|^\s{0,8}\d{1,6}(?:[:│|]|→|\t)/;

/** A row of a native stack, which a crash leaves. */
const isFrame = (row: string): boolean => /^\s{0,8}\d{1,4}:\s{1,8}(?:0x|\S{1,200}(?:::|<unknown>))/.test(row);
export const isListing = (row: string): boolean => !isFrame(row) && (CODE.test(row.slice(0, 400)) || DIFF.test(row));

/** Below its own word on a limit a program names the command that helps; what a tool prints has no such row below it. */
const OWN_HINT = /^\s{2,8}\/(?:upgrade|usage-credits|extra-usage|rate-limit-options)\b/;

/** Does something else show this row: a message that wraps, a code block, a diff, a tool, a command? */
export function isShown(rows: readonly string[], from: number): boolean {
  let start = from;
  while (start > 0 && !isBlank(rows[start - 1])) start--;
  const above = rows.slice(start, from);
  if (OWN_HINT.test(rows[from + 1] ?? "")) return false;
  if (above.some((row) => isListing(row) || shellCommand.test(row))) return true;
  if (above.some(isMessage) && indentOf(rows[from] as string) >= 2 && !hasGlyph(rows[from] as string)) return true;
  if (rows.slice(0, from).filter((row) => /^\s{0,8}(?:```|~~~)/.test(row)).length % 2 === 1) return true;
  return isToolOutput(rows, from);
}

const HOOK = /^\s*[⎿└]/;
/** An edit shows a diff or a summary, never words of somebody else's. */
const EDIT_HEADER = /^\s{0,4}[●⏺] ?(?:Update|Edit|Write|MultiEdit|NotebookEdit|Create)\(/;
const OUTPUT_INDENT = 4;
const OUTPUT_ROWS_MAX = 40;

/** Rows under a tool's call are its output; a second hook under the same call belongs to the turn. */
function isToolOutput(rows: readonly string[], from: number): boolean {
  const indent = indentOf(rows[from] as string);
  let hooks = HOOK.test(rows[from] as string) ? 1 : 0;
  if (hooks === 0 && indent < OUTPUT_INDENT) return false;
  for (let y = from - 1; y >= 0 && from - y < OUTPUT_ROWS_MAX; y--) {
    const row = rows[y] as string;
    if (isBlank(row)) continue;
    if (isToolHeader(row)) return hooks < (EDIT_HEADER.test(row) ? 1 : 2);
    if (HOOK.test(row)) hooks++;
    else if (indentOf(row) < indent) return false;
  }
  return false;
}
