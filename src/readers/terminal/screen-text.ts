/** A rendered screen as text, with the few attributes of its cells that rules use. */
import { oncePerRow, type ScreenRow } from "./row.js";

export interface ScreenText {
  /** Rows from the top. */
  rows: readonly ScreenRow[];
  /** Is the row's text drawn in red or amber? Null if colours are unknown (a plain capture). */
  tinted(y: number): boolean | null;
  /** Is the row's text drawn in grey? Null if colours are unknown. */
  muted(y: number): boolean | null;
  /** Is the row's first mark drawn in red? Null if colours are unknown. */
  redFrame(y: number): boolean | null;
  /** Does the row's text have a background colour of its own? Null if colours are unknown. */
  backed(y: number): boolean | null;
  /** Is the cursor in the row, or is one drawn there? Null if unknown. */
  cursor(y: number): boolean | null;
  /** Is the cursor before grey words, with no word before it? These are placeholders. Null if unknown. */
  ghost(y: number): boolean | null;
  /** Does the row continue the one above, for which the terminal is too narrow? */
  isWrapped?(y: number): boolean;
  /** Does the program draw without colours? Then colours are no evidence. */
  isPlain(): boolean;
}

/** Without text, or outside the screen. */
export const isBlank = (row: ScreenRow | undefined): boolean => !row || row.isBlank;

/** Index of the lowest row with text, or -1. */
export function footOf(rows: readonly ScreenRow[]): number {
  for (let y = rows.length - 1; y >= 0; y--) if (!isBlank(rows[y])) return y;
  return -1;
}

/** The column of its first character; -1 without one. */
export const indentOf: (row: ScreenRow) => number = oncePerRow((row) => row.search(/\S/));

const FRAME = /[│┃┆┇╎║▌▐|]/g;

/** A row for matching and for output: frames removed, ends trimmed; empty if only a frame is left. */
export function bareText(row: string): string {
  const text = row.replace(FRAME, " ").trim();
  return /^[─━═╌╭╮╰╯▄▀╹▔▁]+$/.test(text) ? "" : text;
}

export const wordsIn: (row: ScreenRow) => string = oncePerRow(bareText);

/** The same for rows from `from` up to `to`, without empty ones. */
export function joinRows(rows: readonly ScreenRow[], separator = "\n", from = 0, to: number = rows.length): string {
  let joined = "";
  for (let y = from; y < to; y++) {
    const words = wordsIn(rows[y] as ScreenRow);
    if (words !== "") joined += joined === "" ? words : separator + words;
  }
  return joined;
}

/** Any number of parts: "59s" becomes "1m 0s", and that is not progress either. */
const DURATION = /\b(?:\d+(?:\.\d+)?\s?(?:ms|s|m|h|sec|secs|seconds?|min|minutes?)\b[ ]?)+/g;
const BULLET = /^[\s│┃]*(?:\([ ●○•◦]{3,12}\))?[●⏺○◦•·∗*✢✳✶✻✽✦◐◑◒◓◴◵◶◷\u2800-\u28ff⊶⊷]?\s*/;

/** Dots that come and go. */
const DOTS = /[.…]{1,4}$/;

/** A row without the parts that do not count as progress: a blinking bullet, a spinner, a running clock. */
export const maskText = (row: string): string =>
  row.replace(BULLET, "").replace(DURATION, "T ").trimEnd().replace(DOTS, "").trimEnd();

export const maskRow: (row: ScreenRow) => string = oncePerRow(maskText);

/** How a rule wants its row drawn. */
interface Drawn {
  tinted?: boolean | undefined;
  muted?: boolean | undefined;
  redFrame?: boolean | undefined;
  plain?: boolean | undefined;
}

/** Is the row drawn as the rule requires? Unknown colours do not exclude a match. */
export function isDrawn(screen: ScreenText, y: number, rule: Drawn): boolean {
  if (rule.plain && screen.isPlain()) return true;
  if (rule.tinted && screen.tinted(y) === false) return false;
  if (rule.muted && screen.muted(y) === false) return false;
  return !(rule.redFrame && screen.redFrame(y) === false);
}
