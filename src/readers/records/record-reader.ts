import type { Signal } from "../../core/signal.js";
import { numberAt, stringAt } from "./json.js";

/** Turns the records of one source into signals. It keeps what it needs between records, bounded, and never throws. */
export interface RecordReader {
  /** `at` is when the record was seen; the reader asks no clock. */
  read(record: unknown, at: number): Signal[];
  /** Record kinds that this reader does not know, and how often they came. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** What is known of the place where the program runs. */
export interface ReadContext {
  /** Zone of the clock times that the program prints without one: an IANA name. */
  zone: string;
  /** What agents are asked to write when all is done; empty for nothing. */
  marker: string;
}

/** For what tells neither times of day nor messages. */
export const NO_CONTEXT: ReadContext = { zone: "UTC", marker: "" };

export type ReaderOptions = Partial<ReadContext>;

const KINDS_MAX = 64;
const NAME_MAX = 64;
const OVERFLOW = "…";

/** Counts by name, for names that a hostile writer may invent without end. */
export class SkipCounter extends Map<string, number> {
  count(name: string, times = 1): void {
    const known = name.slice(0, NAME_MAX);
    const key = this.has(known) || this.size < KINDS_MAX ? known : OVERFLOW;
    this.set(key, (this.get(key) ?? 0) + times);
  }
}

const YEAR_2000 = 946_684_800_000;
const YEAR_2200 = 7_258_118_400_000;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const ZONED = /(?:[zZ]|[+-]\d\d:?\d\d)$/;

/** The record's own time, for reading a transcript after the fact; null where it has none. */
export function recordTime(record: unknown): number | null {
  const text = stringAt(record, "timestamp") ?? stringAt(record, "ts");
  if (text !== undefined) {
    const head = text.slice(0, 40);
    return ISO.test(head) ? plausible(Date.parse(ZONED.test(head) ? head : `${head}Z`)) : null;
  }
  const stamp = numberAt(record, "timestamp") ?? numberAt(record, "ts");
  return stamp === undefined ? null : plausible(fromEpoch(stamp));
}

/** Epoch in seconds or milliseconds: the programs write both, and the two ranges do not meet for centuries. */
export function fromEpoch(stamp: number): number {
  return stamp < 100_000_000_000 ? stamp * 1000 : stamp;
}

function plausible(ms: number): number | null {
  return ms >= YEAR_2000 && ms <= YEAR_2200 ? ms : null;
}
