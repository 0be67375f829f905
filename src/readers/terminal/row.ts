/**
 * A row of a screen. A look finds most rows as the look before did, and those of one screen again on another: a text that
 * was seen of late is the same object, so what was once asked of it is an answer that it carries.
 */
import { BoundedMemo } from "../memo.js";
import type { RowSays } from "./row-says.js";

/**
 * Two generations of so many: when the young one is full, the old one is forgotten. A row that was forgotten while it stands
 * on a screen is not found again, which costs time and changes nothing.
 */
const KEPT_MAX = 2048;
/** A longer row is not kept for others, so that wide screens of noise take no memory. */
const KEPT_UNITS_MAX = 400;
/** More profiles than this do not read one text: a user may change theirs, again and again. */
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

  /** What the profile says of it that asks for `asked`. */
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

/** A question to a row's text that each row answers once. */
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
