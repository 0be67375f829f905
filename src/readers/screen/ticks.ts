/**
 * Rows with a running clock, or with a mark that turns. Whatever a program calls its status line, and however it words it
 * today, a row that stays the same but for a clock that counts or a spinner before it is the sign of a turn under way, and
 * it is never reply text.
 */
import { Memo } from "../memo.js";

const GLYPH = /^[\s│┃]*[^\p{L}\p{N}\s]{0,3}\s*/u;
/** A sign before its words. */
const LEADS = /^\s{0,4}[^\p{L}\p{N}\s] /u;
const TIME = /\d{1,3}\s?(?:h|m|s|sec|min)\b|\d{1,2}:\d\d/;
/** What only a program at work draws before a word: dots, parts of a circle, phases of the moon, a stroke that turns. */
const SPINNER = /^[\s│┃]*([\u2800-\u28ff]{1,4}|[◐◑◒◓◴◵◶◷◜◝◞◟\u{1f311}-\u{1f318}|/\\-])\s{1,2}(?=.{0,40}\p{L})/u;
/** A sign of any kind before a word. Rows of lists, tools and messages have one too: only several in turn are a spinner. */
const MARK = /^[\s│┃]{0,6}([^\p{L}\p{N}\s│┃])\s{1,2}(?=.{0,40}\p{L})/u;
/** A bullet blinks between two signs, a task has three at most in its life. */
const MARKS_WANTED = 3;
/** What a row ends with when its work is done. */
const DONE_SIGN = /[✓✔✗✘✕✖☑☒]/u;
const MARKS_MS = 8000;
const MARKED_MAX = 64;
const SHAPES_MAX = 32;
/** A clock that last moved longer ago than this has stopped. */
const STOPPED_MS = 3500;
const RAN_MS = 20_000;
/** A spinner turns so fast that two looks may find the same mark; when the work ends, its row goes. */
const SPUN_MS = 12_000;

/** A time that a row shows: the row with its numbers masked, and with them. */
interface Clock {
  shape: string;
  digits: string;
  stoppedMs: number;
}

/** Does the row show a time, which may run? */
export const showsClock = (row: string): boolean => TIME.test(row);

/** Does the row show a time or a spinner, which may run? */
const showsTime = (row: string): boolean => row.length <= 400 && (TIME.test(row) || SPINNER.test(row));

const NO_CLOCK = { clock: null };
const clocks = new Memo<{ clock: Clock | null }>(512, (row) => {
  if (!showsTime(row)) return NO_CLOCK;
  if (TIME.test(row)) return { clock: { shape: shapeOf(row), digits: row.replace(GLYPH, ""), stoppedMs: STOPPED_MS } };
  const shape = shapeOf(row.replace(SPINNER, ""));
  return { clock: { shape, digits: SPINNER.exec(row)?.[1] ?? "", stoppedMs: SPUN_MS } };
});

interface Mark {
  /** What stands behind the sign. */
  shape: string;
  sign: string;
}

const NO_MARK = { mark: null };
const marks = new Memo<{ mark: Mark | null }>(512, (row) => {
  const sign = row.length <= 400 ? MARK.exec(row) : null;
  return sign ? { mark: { shape: shapeOf(row.slice(sign[0].length)), sign: sign[1] ?? "" } } : NO_MARK;
});

const isDots = (sign: string): boolean => /[\u2800-\u28ff]/.test(sign);

/** Does the row begin with a sign, which may turn? */
const isMarked = (row: string): boolean => marks.of(row).mark !== null;

/** Does the row show anything that may run or turn? */
export const mayMove = (row: string): boolean => showsTime(row) || isMarked(row);

/** The signs that one row has begun with, newest last. */
interface Turned {
  signs: { sign: string; at: number }[];
  /** When it was last seen to turn. */
  at: number | null;
}

export class Ticks {
  /** By shape: what it showed last, since when, and when its clock last moved. */
  readonly #seen = new Map<string, { text: string; since: number; at: number | null }>();
  /** By what stands behind the sign. */
  readonly #turned = new Map<string, Turned>();
  /** How far above the composer a clock was last seen to run, and when. */
  #place: { above: number; at: number } | null = null;

  /**
   * Takes in the rows that were not there at the look before; `standing` are all that stand there now. Only those that show a
   * time at all are remembered.
   */
  look(rows: readonly string[], at: number, standing: readonly string[] = rows): void {
    for (const row of rows) {
      this.#lookAtMark(row, at);
      const { clock } = clocks.of(row);
      if (!clock) continue;
      const { shape, digits, stoppedMs } = clock;
      const known = this.#seen.get(shape);
      const changed = known !== undefined && known.text !== digits;
      // "Cooked for 4s" and, a turn later, "Cooked for 7s" are two rows that stand still, and no clock.
      let moved = changed && at - known.since <= stoppedMs;
      // "Took 0.4s" above "Took 0.1s": the clock of a row that still stands there did not become another.
      if (moved && known && !isWithin(known.at, at, stoppedMs))
        moved = !standing.some((one) => shows(one, shape, known.text));
      this.#seen.delete(shape);
      this.#seen.set(shape, {
        text: digits,
        since: changed || !known ? at : known.since,
        at: moved ? at : (known?.at ?? null),
      });
      if (this.#seen.size > SHAPES_MAX) this.#seen.delete(this.#seen.keys().next().value as string);
    }
  }

  #lookAtMark(row: string, at: number): void {
    const { mark } = marks.of(row);
    if (!mark) return;
    const known = this.#turned.get(mark.shape) ?? { signs: [], at: null };
    this.#turned.delete(mark.shape);
    this.#turned.set(mark.shape, known);
    if (this.#turned.size > MARKED_MAX) this.#turned.delete(this.#turned.keys().next().value as string);
    known.signs = known.signs.filter((one) => one.sign !== mark.sign && at - one.at <= MARKS_MS);
    known.signs.push({ sign: mark.sign, at });
    if (known.signs.length >= MARKS_WANTED) known.at = at;
  }

  /** A clock runs so many rows above the composer. */
  stands(above: number, at: number): void {
    this.#place = { above, at };
  }

  /**
   * Is this the row of a clock that ran in the same place a moment ago? A status line whose words change ("Thinking… 8s",
   * then "No answer yet, next try in 4m 10s") is no news of the agent, although nobody saw the new clock run yet.
   */
  inherits(row: string, above: number, at: number): boolean {
    const isPlace = this.#place?.above === above && at - this.#place.at <= STOPPED_MS;
    return isPlace && LEADS.test(row) && showsTime(row);
  }

  /** Is this row one whose clock runs now, or whose sign turns? */
  ticking(row: string, at: number): boolean {
    return this.turning(row, at) || this.#runs(row, at);
  }

  /** Does this row begin with a sign that turns? */
  turning(row: string, at: number): boolean {
    const { mark } = marks.of(row);
    if (!mark || DONE_SIGN.test(mark.sign)) return false;
    if (SPINNER.test(row)) return this.#runs(row, at) || this.#turns(mark, at);
    return this.#turns(mark, at);
  }

  #turns({ shape, sign }: Mark, at: number): boolean {
    const known = this.#turned.get(shape);
    if (!known || !isWithin(known.at, at, SPUN_MS)) return false;
    // A bullet in place of dots that turned: what it stands before is finished.
    return known.signs.every((one) => isDots(one.sign) === isDots(sign));
  }

  /** Did this row's clock run of late? That of a command may stand for some seconds on a machine with much to do. */
  ran(row: string, at: number): boolean {
    const { clock } = clocks.of(row);
    return clock !== null && showsClock(row) && isWithin(this.#seen.get(clock.shape)?.at ?? null, at, RAN_MS);
  }

  #runs(row: string, at: number): boolean {
    const { clock } = clocks.of(row);
    if (!clock) return false;
    return isWithin(this.#seen.get(clock.shape)?.at ?? null, at, clock.stoppedMs);
  }
}

const isWithin = (ticked: number | null, at: number, ms: number): boolean => ticked !== null && at - ticked <= ms;

function shows(row: string, shape: string, digits: string): boolean {
  const { clock } = clocks.of(row);
  return clock !== null && clock.shape === shape && clock.digits === digits;
}

/** "59s" becomes "1m 0s": the numbers of a time change their count, so a whole time is one mark. */
function shapeOf(row: string): string {
  return row
    .replace(GLYPH, "")
    .replace(/(?:\d+(?:\.\d+)?\s?(?:h|m|s|sec|min)\b\s?)+|\d{1,2}:\d\d(?::\d\d)?/g, "T")
    .replace(/\d+(?:\.\d+)?[kKmM]?/g, "N");
}
