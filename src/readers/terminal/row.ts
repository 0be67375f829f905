/**
 * A row of a screen. Most rows are unchanged since the previous check, or appear on several screens: a recently seen
 * text is the same object, so it carries the answers that were computed for it.
 */
import { BoundedMemo } from "../memo.js";
import type { RowSays } from "./row-says.js";

/**
 * The size of each of two generations: when the young one is full, the old one is dropped. A dropped row that is still
 * on a screen is created again, which costs time and changes nothing.
 */
const KEPT_MAX = 2048;
/** A longer row is not shared, so that wide screens of noise take no memory. */
const KEPT_UNITS_MAX = 400;
/** At most this many profiles per text: a user may change their own again and again. */
const PROFILES_MAX = 8;

export class ScreenRow {
  /** Right-trimmed. */
  readonly text: string;
  readonly isBlank: boolean;
  /** See `oncePerRow`. */
  readonly answers: unknown[] = [];
  readonly #says: RowSays[] = [];

  constructor(text: string) {
    this.text = text;
    this.isBlank = text === "" || text.trim() === "";
  }

  /** The matches for the profile with the patterns `asked`. */
  saysTo(asked: RowSays["asked"]): RowSays | undefined {
    for (const says of this.#says) if (says.asked === asked) return says;
    return undefined;
  }

  keep(says: RowSays): RowSays {
    if (this.#says.length === PROFILES_MAX) this.#says.shift();
    this.#says.push(says);
    return says;
  }
}

let questions = 0;

/** A function of a row's text that is computed once per row. */
export function oncePerRow<T extends NonNullable<unknown> | null>(answer: (text: string) => T): (row: ScreenRow) => T {
  const n = questions++;
  return ({ answers, text }) => {
    const known = answers[n];
    if (known !== undefined) return known as T;
    const made = answer(text);
    answers[n] = made;
    return made;
  };
}

const rows = new BoundedMemo<ScreenRow>(KEPT_MAX, (text) => new ScreenRow(text));

/** The row with this text. */
export const rowOf = (text: string): ScreenRow => (text.length > KEPT_UNITS_MAX ? new ScreenRow(text) : rows.of(text));
