/**
 * Rows with a running clock or a turning sign. However a program words its status line, a row that stays the same
 * except for a counting clock or a spinner before it shows a turn in progress, and is never reply text.
 */
import { BoundedMemo } from "../memo.js";
import { oncePerRow, type ScreenRow } from "./row.js";

const GLYPH = /^[\s│┃]*[^\p{L}\p{N}\s]{0,3}\s*/u;
/** A sign before text. */
const LEADS = /^\s{0,4}[^\p{L}\p{N}\s] /u;
const TIME = /\d{1,3}\s?(?:h|m|s|sec|min)\b|\d{1,2}:\d\d/;
/**
 * Signs that only a working program draws before a word: dots, parts of a circle, phases of the moon, a turning stroke.
 */
const SPINNER = /^[\s│┃]*([\u2800-\u28ff]{1,4}|[◐◑◒◓◴◵◶◷◜◝◞◟\u{1f311}-\u{1f318}|/\\-])\s{1,2}(?=.{0,40}\p{L})/u;
/**
 * A sign of any kind before a word. Rows of lists, tools and messages have one too: only a sequence of several is a
 * spinner.
 */
const MARK = /^[\s│┃]{0,6}([^\p{L}\p{N}\s│┃])\s{1,2}(?=.{0,40}\p{L})/u;
/** A bullet blinks between two signs; a task shows three at most. */
const MARKS_WANTED = 3;
/** Equal shapes are the same string, so that a lookup does not compare letter by letter. */
const shapes = new BoundedMemo<string>(512, (shape) => shape);
/** The end of a row whose work is done. */
const DONE_SIGN = /[✓✔✗✘✕✖☑☒]/u;
const MARKS_MS = 8000;
const MARKED_MAX = 64;
const SHAPES_MAX = 32;
/** A longer row is not a status. */
const ROW_MAX = 400;
/** A clock that last moved longer ago than this has stopped. */
const STOPPED_MS = 3500;
const RAN_MS = 20_000;
/** A spinner turns fast enough that two checks may find the same sign; its row disappears when the work ends. */
const SPUN_MS = 12_000;

/** A time or a spinner in a row, which may be running. */
interface Clock {
  /** The row with its numbers masked. */
  shape: string;
  /** The position of the part that changes while it runs. */
  from: number;
  to: number | undefined;
  stoppedMs: number;
}

/** Does the row show a time, which may be running? */
export const showsClock: (row: ScreenRow) => boolean = oncePerRow((row) => TIME.test(row));

const clockOf = oncePerRow((row): Clock | null => {
  if (row.length > ROW_MAX) return null;
  if (TIME.test(row)) return { shape: shapeOf(row), from: glyphOf(row).length, to: undefined, stoppedMs: STOPPED_MS };
  const [head = "", sign = ""] = SPINNER.exec(row) ?? [];
  if (sign === "") return null;
  const from = head.indexOf(sign);
  return { shape: shapeOf(row.slice(head.length)), from, to: from + sign.length, stoppedMs: SPUN_MS };
});

const shownBy = ({ text }: ScreenRow, { from, to }: Clock): string => text.slice(from, to);

interface Mark {
  /** The text behind the sign. */
  shape: string;
  sign: string;
  isDone: boolean;
  isDots: boolean;
  isSpinner: boolean;
}

/** The sign at the start of the row, which may turn. */
const markOf = oncePerRow((row): Mark | null => {
  const [lead = "", sign = ""] = (row.length <= ROW_MAX && MARK.exec(row)) || [];
  if (sign === "") return null;
  return {
    shape: shapeOf(row.slice(lead.length)),
    sign,
    isDone: DONE_SIGN.test(sign),
    isDots: /[\u2800-\u28ff]/.test(sign),
    isSpinner: SPINNER.test(row),
  };
});

/** The signs at the start of one row, newest last. */
interface Turned {
  signs: { sign: string; isDots: boolean; at: number }[];
  /** The last time it was seen to turn. */
  at: number | null;
  /** See `forgetOldest`. */
  seen: number;
}

/** The last value of a shape, since when it is shown, and when its clock last moved. */
interface Shown {
  text: string;
  since: number;
  at: number | null;
  seen: number;
}

export class RowClocks {
  readonly #shown = new Map<string, Shown>();
  /** By the text behind the sign. */
  readonly #turned = new Map<string, Turned>();
  /** How many rows above the composer a clock was last seen running, and when. */
  #place: { above: number; at: number } | null = null;
  /** Number of rows processed. */
  #rows = 0;

  /**
   * Adds the rows that are new since the previous check; `standing` are all rows of the screen. Only rows with a time
   * are kept.
   */
  check(rows: readonly ScreenRow[], at: number, staticRows: readonly ScreenRow[] = rows): void {
    for (const row of rows) {
      this.#checkAtMark(row, at);
      const clock = clockOf(row);
      if (!clock) continue;
      const { shape, stoppedMs } = clock;
      const shown = shownBy(row, clock);
      const known = this.#shown.get(shape);
      if (!known) {
        this.#shown.set(shape, { text: shown, since: at, at: null, seen: ++this.#rows });
        if (this.#shown.size > SHAPES_MAX) forgetOldest(this.#shown);
        continue;
      }
      known.seen = ++this.#rows;
      if (known.text === shown) continue;
      // "Cooked for 4s" and, a turn later, "Cooked for 7s" are two static rows, not a clock.
      let moved = at - known.since <= stoppedMs;
      // "Took 0.4s" above "Took 0.1s": a row that is still on the screen did not turn into another.
      if (moved && !isWithin(known.at, at, stoppedMs)) moved = !staticRows.some((one) => shows(one, shape, known.text));
      known.text = shown;
      known.since = at;
      if (moved) known.at = at;
    }
  }

  #checkAtMark(row: ScreenRow, at: number): void {
    const mark = markOf(row);
    if (!mark) return;
    const { shape, sign, isDots } = mark;
    const known = this.#turned.get(shape);
    if (!known) {
      this.#turned.set(shape, { signs: [{ sign, isDots, at }], at: null, seen: ++this.#rows });
      if (this.#turned.size > MARKED_MAX) forgetOldest(this.#turned);
      return;
    }
    known.seen = ++this.#rows;
    turn(known.signs, { sign, isDots, at });
    if (known.signs.length >= MARKS_WANTED) known.at = at;
  }

  /** A clock runs this many rows above the composer. */
  recordClock(above: number, at: number): void {
    this.#place = { above, at };
  }

  /**
   * Is this the row of a clock that ran in the same place a moment ago? A status line whose words change ("Thinking…
   * 8s", then "No answer yet, next try in 4m 10s") is not progress of the agent, even before the new clock was seen to
   * run.
   */
  inherits(row: ScreenRow, above: number, at: number): boolean {
    const isPlace = this.#place?.above === above && at - this.#place.at <= STOPPED_MS;
    return isPlace && LEADS.test(row.text) && clockOf(row) !== null;
  }

  /** Does the clock of this row run now, or does its sign turn? */
  ticking(row: ScreenRow, at: number): boolean {
    return this.turning(row, at) || this.#runs(row, at);
  }

  /** Does this row start with a turning sign? */
  turning(row: ScreenRow, at: number): boolean {
    const mark = markOf(row);
    if (!mark || mark.isDone) return false;
    return (mark.isSpinner && this.#runs(row, at)) || this.#turns(mark, at);
  }

  #turns({ shape, isDots }: Mark, at: number): boolean {
    const known = this.#turned.get(shape);
    if (!known || !isWithin(known.at, at, SPUN_MS)) return false;
    // A bullet in place of turning dots: its text is finished.
    return known.signs.every((one) => one.isDots === isDots);
  }

  /** Did this row's clock run recently? The clock of a command may pause for some seconds on a busy machine. */
  ran(row: ScreenRow, at: number): boolean {
    const clock = clockOf(row);
    return clock !== null && showsClock(row) && isWithin(this.#shown.get(clock.shape)?.at ?? null, at, RAN_MS);
  }

  #runs(row: ScreenRow, at: number): boolean {
    const clock = clockOf(row);
    if (!clock) return false;
    return isWithin(this.#shown.get(clock.shape)?.at ?? null, at, clock.stoppedMs);
  }
}

/** Adds the newest sign in place: this runs for every turning row at every check. */
function turn(signs: Turned["signs"], newest: Turned["signs"][number]): void {
  let kept = 0;
  for (const one of signs) {
    if (one.sign !== newest.sign && newest.at - one.at <= MARKS_MS) signs[kept++] = one;
  }
  signs.length = kept;
  signs.push(newest);
}

const isWithin = (ticked: number | null, at: number, ms: number): boolean => ticked !== null && at - ticked <= ms;

/**
 * Removes the entry that was seen longest ago. Rarely needed; a map in the order of use would be written for every row.
 */
function forgetOldest(known: Map<string, { seen: number }>): void {
  let oldest: [shape: string, seen: number] = ["", Number.POSITIVE_INFINITY];
  for (const [shape, { seen }] of known) if (seen < oldest[1]) oldest = [shape, seen];
  known.delete(oldest[0]);
}

function shows(row: ScreenRow, shape: string, text: string): boolean {
  const clock = clockOf(row);
  return clock !== null && clock.shape === shape && shownBy(row, clock) === text;
}

const glyphOf = (row: string): string => GLYPH.exec(row)?.[0] ?? "";

/** "59s" becomes "1m 0s": the number of parts changes, so a whole time is one mark. */
function shapeOf(row: string): string {
  const shape = row
    .slice(glyphOf(row).length)
    .replace(/(?:\d+(?:\.\d+)?\s?(?:h|m|s|sec|min)\b\s?)+|\d{1,2}:\d\d(?::\d\d)?/g, "T")
    .replace(/\d+(?:\.\d+)?[kKmM]?/g, "N")
    // A rule fills the rest of the row beside the numbers.
    .replace(/[─━═]{3,}/g, "─");
  return shapes.of(shape);
}
