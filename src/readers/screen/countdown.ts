/**
 * A pattern for rows that count. Finding groups takes RE2 ten times as long as telling that a row fits, and of a countdown
 * each look finds another text. Where a pattern cannot tell one digit from another, the groups of a row stand in the same
 * places as those of the row with each digit made a zero, which is the same for many looks.
 */
import { type Pattern, type Spans, textsAt } from "../../agents/pattern.js";
import { Memo } from "../memo.js";

const ROWS_MAX = 64;
const DIGIT = /\d/g;
/** What of a pattern speaks of digits without telling them apart, and numbers that are no text: counts and codes. */
const BLIND = /\\d|0-9|\{\d+(?:,\d*)?\}|\\x\{[0-9A-Fa-f]+\}/g;

/** Each digit made one and the same: as long as before, so that what was found in one row stands there in the other. */
export const withoutDigits = (row: string): string => row.replace(DIGIT, "0");

export function countdown(pattern: Pattern): Pattern {
  if (/\d/.test(pattern.source.replace(BLIND, ""))) return pattern;
  const known = new Memo<{ spans: Spans | null }>(ROWS_MAX, (row) => ({ spans: pattern.spans(row) }));
  return {
    ...pattern,
    groups: (text) => textsAt(known.of(withoutDigits(text)).spans, text),
  };
}
