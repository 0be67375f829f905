/**
 * A row of a screen. A look finds most rows as the look before did, and those of one screen again on another: a text that
 * was seen of late is the same object, so what was once asked of it is an answer that it carries.
 */
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

const HAS_DIGIT = /[1-9]/;
const DIGITS = /[1-9]/g;

export class Row {
  /** Right-trimmed. */
  readonly text: string;
  readonly isBlank: boolean;
  /** See `once`. */
  readonly answers: unknown[] = [];
  readonly #says: RowSays[] = [];
  #masked: Row | undefined;

  constructor(text: string) {
    this.text = text;
    this.isBlank = text === "" || text.trim() === "";
  }

  /** The row with each digit made a zero, which stands for many looks while a clock counts; itself where it has none. */
  get masked(): Row {
    this.#masked ??= HAS_DIGIT.test(this.text) ? rowOf(this.text.replace(DIGITS, "0")) : this;
    return this.#masked;
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
export function once<T extends NonNullable<unknown> | null>(answer: (text: string) => T): (row: Row) => T {
  const n = questions++;
  return ({ answers, text }) => {
    const known = answers[n];
    if (known !== undefined) return known as T;
    const made = answer(text);
    answers[n] = made;
    return made;
  };
}

/** The same for a question that does not tell one digit from another: rows that differ in nothing else answer it once. */
export function onceMasked<T extends NonNullable<unknown> | null>(answer: (text: string) => T): (row: Row) => T {
  const ask = once(answer);
  return (row) => ask(row.masked);
}

/** By the hash of their texts; of two that share one, the newer is known. */
let young = new Map<number, Row>();
let old = new Map<number, Row>();

/** Half of a screen, at times. */
const EMPTY = new Row("");

/** The row with this text. */
export function rowOf(text: string): Row {
  if (text === "") return EMPTY;
  if (text.length > KEPT_UNITS_MAX) return new Row(text);
  let hash = HASH_START;
  for (let n = 0; n < text.length; n++) hash = mixed(hash, text.charCodeAt(n));
  const key = folded(hash);
  const known = young.get(key) ?? old.get(key);
  return kept(key, known?.text === text ? known : new Row(text));
}

/** The row whose text is the first `length` of these UTF-16 units; `textOf` makes that text where no such row is known. */
export function rowOfUnits(units: Uint16Array, length: number, textOf: (length: number) => string): Row {
  if (length === 0) return EMPTY;
  if (length > KEPT_UNITS_MAX) return new Row(textOf(length));
  let hash = HASH_START;
  for (let n = 0; n < length; n++) hash = mixed(hash, units[n] as number);
  const key = folded(hash);
  const newest = young.get(key);
  if (newest && holds(newest.text, units, length)) return newest;
  const known = newest ?? old.get(key);
  return kept(key, known && holds(known.text, units, length) ? known : new Row(textOf(length)));
}

function kept(key: number, row: Row): Row {
  young.set(key, row);
  if (young.size > KEPT_MAX) {
    old = young;
    young = new Map();
  }
  return row;
}

function holds(text: string, units: Uint16Array, length: number): boolean {
  if (text.length !== length) return false;
  for (let n = 0; n < length; n++) if (text.charCodeAt(n) !== units[n]) return false;
  return true;
}

const HASH_START = 0x811c9dc5;
const mixed = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
/** Thirty bits, which the engine keeps in a word of its own. */
const folded = (hash: number): number => (hash ^ (hash >>> 15)) & 0x3fff_ffff;
