import type { Signal } from "../../core/signal.js";
import { numberAt, stringAt } from "./json.js";

/** Turns the records of one source into signals. Its state between records is bounded, and it never throws. */
export interface RecordReader {
  /** `at` is when the record was read; the reader uses no clock. */
  read(record: unknown, at: number): Signal[];
  /** Unknown record kinds, and their number. */
  readonly skipped: ReadonlyMap<string, number>;
  /** The subagent that these records are of, once they name one. */
  readonly subagent?: string | undefined;
}

/** The environment of the program. */
export interface ReadContext {
  /** Zone of the clock times that the program prints without one: an IANA name. */
  zone: string;
  /** The text that agents are asked to write when all work is done; empty for none. */
  marker: string;
  /** How long the program lets a command run that states no limit; the program's own default if it is not given. */
  commandLimitMs?: number;
}

/** For sources without times of day and without messages. */
export const NO_CONTEXT: ReadContext = { zone: "UTC", marker: "" };

export type ReaderOptions = Partial<ReadContext>;

const KINDS_MAX = 64;
const NAME_MAX = 64;
const OVERFLOW = "…";

/** Counts by name, bounded: a hostile writer may invent names without end. */
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

/** The record's own time, for reading a transcript afterwards; null if it has none. */
export function recordTime(record: unknown): number | null {
  const text = stringAt(record, "timestamp") ?? stringAt(record, "ts");
  if (text !== undefined) {
    const head = text.slice(0, 40);
    return ISO.test(head) ? plausible(Date.parse(ZONED.test(head) ? head : `${head}Z`)) : null;
  }
  const stamp = numberAt(record, "timestamp") ?? numberAt(record, "ts");
  return stamp === undefined ? null : plausible(fromEpoch(stamp));
}

/** Epoch in seconds or milliseconds: programs write both, and the two ranges will not overlap for centuries. */
export function fromEpoch(stamp: number): number {
  return stamp < 100_000_000_000 ? stamp * 1000 : stamp;
}

function plausible(ms: number): number | null {
  return ms >= YEAR_2000 && ms <= YEAR_2200 ? ms : null;
}
