/** Does a fragment end by saying the same again and again? */
import { createTextTail, endText, feedText } from "../../core/evidence/text-loop.js";
import { maskText } from "../screen/screen-text.js";
import { isBlank } from "./rows.js";

const PERIOD_ROWS_MAX = 8;

/** What of a row must be the same. Somebody who types the same again, a model above all, may space it otherwise. */
const saidBy = (row: string): string =>
  maskText(row)
    .replace(/\s{1,400}/g, " ")
    .replace(/ ?([&|;,]{1,2}) ?/g, "$1")
    .trim();
/** A spinner that a terminal could not erase stands there again and again. */
const TURNS = /\besc to (?:interrupt|cancel)\b/i;

interface Proof {
  repeats: number;
  chars: number;
}
const PROOFS: readonly Proof[] = [
  { repeats: 4, chars: 40 },
  { repeats: 5, chars: 20 },
];
/** Of paragraphs, half of the third time is enough. */
const PARAGRAPHS: Proof = { repeats: 2.5, chars: 400 };
/** Where somebody copied nothing but an error and its repetition, the second time is enough. */
const NOTHING_ELSE: Proof = { repeats: 2, chars: 100 };
const ERROR = /\b(?:error|failed|failure|denied|blocked)\b/i;
/** Rows that a patient program prints again and again. */
const POLLS =
  /\b(?:wait(?:ing|ed)?|pending|in progress|queued|still|polling|running|building|creating|progress|ok|pass(?:ed)?|ready|up[- ]to[- ]date|\d{1,3}%)\b/i;

/** Whole rows that repeat as a block at the end of the fragment, or text that has a period. */
export function repeatsItself(rows: readonly string[]): boolean {
  const said = rows.filter((row) => !isBlank(row)).map(saidBy);
  for (let period = 1; period <= PERIOD_ROWS_MAX && period * 2 <= said.length; period++) {
    const all = mended(said, period);
    const block = all.slice(-period);
    const repeats = repeatsOf(block, all);
    const begun = begunIn(block, all, repeats);
    const chars = block.join("").length * repeats;
    const proves = (proof: Proof): boolean => repeats >= proof.repeats && chars >= proof.chars;
    const isAll =
      Math.round((repeats + begun) * period) === all.length && period > 1 && block.some((row) => ERROR.test(row));
    const isText = period > 1 && repeats + begun >= PARAGRAPHS.repeats && chars >= PARAGRAPHS.chars;
    if (!PROOFS.some(proves) && !isText && !(isAll && proves(NOTHING_ELSE))) continue;
    return (
      block.some((row) => /\p{L}{2}/u.test(row)) &&
      !block.every((row) => POLLS.test(row)) &&
      !block.some((row) => TURNS.test(row)) &&
      !block.some((row) => /^[|+-]/.test(row))
    );
  }
  const tail = createTextTail();
  return [...feedText(tail, said.join("\n")), ...endText(tail)].at(-1) != null;
}

const CIRCLES_MIN = 3;
/** Beside a spinner it may still come to something. */
const CIRCLES_AT_WORK = 4;

/** The program goes on by itself and meets the same refusal again and again: several rows, none of them a human's. */
export const goesInCircles = (rows: readonly string[]): boolean => circleOf(rows, CIRCLES_MIN) !== null;

/** It works, and all that it did so far failed alike. */
export const failsAgain = (rows: readonly string[]): boolean =>
  circleOf(rows, CIRCLES_AT_WORK)?.some((row) => ERROR.test(row)) ?? false;

/** The rows that are repeated so often at the end; null where none are. */
function circleOf(rows: readonly string[], times: number): readonly string[] | null {
  const said = rows.filter((row) => !isBlank(row)).map(saidBy);
  for (let period = 2; period <= PERIOD_ROWS_MAX && period * times <= said.length; period++) {
    const block = said.slice(-period);
    if (repeatsOf(block, said) < times) continue;
    return new Set(block).size > 1 && !block.some((row) => /^[>❯›{}"]/.test(row)) ? block : null;
  }
  return null;
}

/** The last row may be cut short by the moment at which the frame was taken. */
function mended(said: readonly string[], period: number): readonly string[] {
  const last = said.at(-1) ?? "";
  const before = said.at(-1 - period) ?? "";
  return last !== before && before.startsWith(last) ? [...said.slice(0, -1), before] : said;
}

function repeatsOf(block: readonly string[], said: readonly string[]): number {
  const period = block.length;
  let repeats = 1;
  while (
    (repeats + 1) * period <= said.length &&
    block.every((row, i) => said[said.length - (repeats + 1) * period + i] === row)
  )
    repeats++;
  return repeats;
}

/** Which part of the block stands before its first whole repetition. */
function begunIn(block: readonly string[], said: readonly string[], repeats: number): number {
  const first = said.length - repeats * block.length;
  let rows = 0;
  while (rows < first && rows < block.length && said[first - 1 - rows] === block[block.length - 1 - rows]) rows++;
  return rows / block.length;
}
