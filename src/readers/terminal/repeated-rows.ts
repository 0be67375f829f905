/**
 * Detects a screen that ends in the same rows again and again. Programs without records of their calls show a loop only
 * like this: message, call and result, and below them the same once more.
 *
 * A screen holds few repetitions. Once they fill it, a further repetition is identical to the previous one. It is
 * counted when the row that ended them ends them again, after a different row did.
 */
import { digest } from "../../core/digest.js";
import { oncePerRow, type ScreenRow } from "./row.js";
import { bareText, maskText, wordsIn } from "./screen-text.js";

export interface RepeatedRows {
  digest: string;
  times: number;
  /** Rows with words in one repetition. */
  rows: number;
  /** Its call, or another row that starts with a sign. */
  text: string;
}

const PERIOD_MIN = 2;
const PERIOD_MAX = 14;
const TEXT_MAX = 80;
const GAP = /\s{3,400}/g;

/** The time of a message, its cost, its folded part, and a scroll bar: they differ between repetitions, or move. */
const STAMP = /\b\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\b/g;
const COST = /\b\d[\d.,]{0,9}[kM]?(?: tok(?:en)?s?\b)|\b\d[\d.,]{0,9}[kKM]\b/g;
const FOLDED = /\b\d{1,6} more lines?\b/g;
const BAR = /[█▓▒░▕▐]{1,4}$/;

const said = oncePerRow((row) =>
  maskText(bareText(row.trimEnd().replace(BAR, "")).replace(STAMP, "T").replace(COST, "N").replace(FOLDED, "N")),
);

/** A sign before a message or a call; not the corner that attaches a result. */
const MARKED = /^[\s│┃]{0,8}(?![\u2500-\u257F⎿])[\p{So}•*$]\uFE0F? /u;
const isMarked = oncePerRow((row) => MARKED.test(row));
/** A repeated prompt of the user is not a loop of the agent. */
const ASKED = /^[\s│┃]{0,8}[>❯›] /;
const isAsked = oncePerRow((row) => ASKED.test(row));
/** Checking on something that runs is a poll, however often it repeats. */
const POLL =
  /\b(?:sleep|wait(?:ing|ed|s)?|poll(?:ing|ed|s)?|monitor(?:ing|ed|s)?|heartbeat|pending|in[ _-]progress|queued|still|not (?:yet )?(?:ready|done|finished))\b/i;
const isPolling = oncePerRow((row) => POLL.test(row));

/** A file that is read page by page, or edited in several places, shows the same name each time. */
const PAGES =
  /^[^\p{L}]{0,12}(?:\p{L}{1,3} )?(?:read|view|open|list|glob|grep|search|find|fetch|edit|update|write|wrote|patch|apply|create|replace|insert|todo)/iu;
const isPaging = oncePerRow((row) => PAGES.test(row));
const PAGES_MIN = 8;

const byLength = (a: ScreenRow, b: ScreenRow): number =>
  said(b).length - said(a).length || (said(a) < said(b) ? -1 : 1);

interface Found {
  period: number;
  /** Whole blocks, and the rows below the last of them. */
  times: number;
  below: number;
  /** It starts at the top of the screen: there may have been more. */
  isCut: boolean;
}

/** If the screen has fewer rows than before, by more than the empty ones between them, the frame is half painted. */
const ROWS_TORN = 2;

export class RepeatReader {
  #key = "";
  /** The row that ended the block when it was first seen, and whether another one has ended it since. */
  #end = "";
  #isPast = false;
  /** Rows at the last complete check. */
  #rows = 0;
  /** Repetitions counted while the screen was full of them. */
  #more = 0;

  /** The rows above `end`, after they changed. */
  read(rows: readonly ScreenRow[], end: number): RepeatedRows | undefined {
    const worded: ScreenRow[] = [];
    for (let y = 0; y < end; y++) {
      const row = rows[y] as ScreenRow;
      if (!row.isBlank && said(row) !== "") worded.push(row);
    }
    const found = findRepeats(worded.map(said));
    if (!found) return undefined;
    const last = worded.length - found.below;
    const block = worded.slice(last - found.period, last);
    // The first row of the block varies between checks, the longest one does not.
    const marked = block.filter(isMarked).sort(byLength)[0];
    if (marked === undefined || block.some(isAsked) || block.some(isPolling)) return undefined;
    this.#countOn(block.map(said), found.isCut, worded.length);
    const times = found.times + this.#more;
    if (times < PAGES_MIN && block.filter(isMarked).every(isPaging)) return undefined;
    const text = wordsIn(marked).replace(GAP, "  ").slice(0, TEXT_MAX);
    return { digest: digest(this.#key), times, rows: found.period, text };
  }

  #countOn(block: readonly string[], isCut: boolean, rows: number): void {
    const end = block.at(-1) as string;
    const key = [...block].sort().join("\n");
    if (key !== this.#key || !isCut) {
      this.#key = key;
      this.#end = end;
      this.#more = 0;
      this.#isPast = false;
    } else if (rows < this.#rows - ROWS_TORN) return;
    else if (end !== this.#end) this.#isPast = true;
    else if (this.#isPast) {
      this.#more++;
      this.#isPast = false;
    }
    this.#rows = rows;
  }
}

/** The longest repetition that ends with these lines, or with fewer of them below it than a block has. */
function findRepeats(lines: readonly string[]): Found | undefined {
  let best: Found | undefined;
  for (let below = 0; below < PERIOD_MAX && below < lines.length; below++) {
    const last = lines.length - 1 - below;
    for (let period = Math.max(PERIOD_MIN, below); period <= PERIOD_MAX && period <= last; period++) {
      if (lines[last] !== lines[last - period]) continue;
      let y = last;
      while (y >= period && lines[y] === lines[y - period]) y--;
      const times = 1 + Math.floor((last - y) / period);
      if (times < 2 || times <= (best?.times ?? 1)) continue;
      if (new Set(lines.slice(last - period + 1, last + 1)).size < PERIOD_MIN) continue;
      best = { period, times, below, isCut: y < period };
    }
  }
  return best;
}
