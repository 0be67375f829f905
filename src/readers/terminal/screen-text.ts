/** A rendered screen as text, with the few questions about its cells that a rule may ask. */
import { oncePerRow, type ScreenRow } from "./row.js";

export interface ScreenText {
  /** Rows from the top. */
  rows: readonly ScreenRow[];
  /** Is the row's text drawn in red or amber? Null where colours are not known (a plain capture). */
  tinted(y: number): boolean | null;
  /** Is the row's text drawn in grey? Null where colours are not known. */
  muted(y: number): boolean | null;
  /** Is the row's first mark drawn in red? Null where colours are not known. */
  redFrame(y: number): boolean | null;
  /** Does the row's text stand on a ground of its own colour? Null where colours are not known. */
  backed(y: number): boolean | null;
  /** Does the cursor stand in the row, or is one drawn there? Null where that is not known. */
  cursor(y: number): boolean | null;
  /** Does the cursor stand before grey words, with none before it? They are to be typed over. Null where that is not known. */
  ghost(y: number): boolean | null;
  /** Is nothing ever drawn in a colour? Then how a row is drawn tells nothing. */
  isPlain(): boolean;
}

/** Without text, or beyond the edge of the screen. */
export const isBlank = (row: ScreenRow | undefined): boolean => !row || row.isBlank;

/** Index of the lowest row with text, or -1. */
export function footOf(rows: readonly ScreenRow[]): number {
  for (let y = rows.length - 1; y >= 0; y--) if (!isBlank(rows[y])) return y;
  return -1;
}

/** The column of its first character; -1 without one. */
export const indentOf: (row: ScreenRow) => number = oncePerRow((row) => row.search(/\S/));

const FRAME = /[│┃┆┇╎║▌▐|]/g;

/** A row for matching and for people: frames removed, ends trimmed; empty where nothing but a frame is left. */
export function bareText(row: string): string {
  const text = row.replace(FRAME, " ").trim();
  return /^[─━═╌╭╮╰╯▄▀╹▔▁]+$/.test(text) ? "" : text;
}

export const wordsIn: (row: ScreenRow) => string = oncePerRow(bareText);

/** The same of rows from `from` up to `to`, those without words left out. */
export function joinRows(rows: readonly ScreenRow[], separator = "\n", from = 0, to: number = rows.length): string {
  let joined = "";
  for (let y = from; y < to; y++) {
    const words = wordsIn(rows[y] as ScreenRow);
    if (words !== "") joined += joined === "" ? words : separator + words;
  }
  return joined;
}

/** As many parts as it has: "59s" becomes "1m 0s", and that is no news either. */
const DURATION = /\b(?:\d+(?:\.\d+)?\s?(?:ms|s|m|h|sec|secs|seconds?|min|minutes?)\b[ ]?)+/g;
const BULLET = /^[\s│┃]*(?:\([ ●○•◦]{3,12}\))?[●⏺○◦•·∗*✢✳✶✻✽✦◐◑◒◓◴◵◶◷\u2800-\u28ff⊶⊷]?\s*/;

/** Dots that come and go. */
const DOTS = /[.…]{1,4}$/;

/** A row without what must not count as news: a blinking bullet, a spinner, a running clock. */
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

/** Does the row look as the rule wants it drawn? Unknown colours are no objection. */
export function isDrawn(screen: ScreenText, y: number, rule: Drawn): boolean {
  if (rule.plain && screen.isPlain()) return true;
  if (rule.tinted && screen.tinted(y) === false) return false;
  if (rule.muted && screen.muted(y) === false) return false;
  return !(rule.redFrame && screen.redFrame(y) === false);
}
