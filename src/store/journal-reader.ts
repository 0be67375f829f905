/**
 * Reads the journal, one page of batches at a time: no statement stays open between two steps, so an iteration may be
 * abandoned, and never blocks a checkpoint of the write-ahead log. Batches may be packed meanwhile.
 */
import { crc32 } from "node:zlib";
import type { Signal } from "../core/signal.js";
import { parseSignal } from "../readers/signal-schema.js";
import { unpacked } from "./packing.js";
import type { KnownSession } from "./session-table.js";
import type { Database, SqlRow, SqlStatement } from "./sqlite.js";

export interface StoredSignal {
  /** The batch that it was stored with; grows. */
  batch: number;
  /** The host's number; null for signals of the daemon's own sensors. */
  seq: number | null;
  signal: Signal;
  receivedAt: number;
}

export interface ReadOptions {
  /** Only batches after this one. */
  after?: number | undefined;
  /** Called in the place of signals that cannot be read. */
  onHole?: (() => void) | undefined;
}

const PAGE = 64;

export class JournalReader {
  /** Unreadable signals: kinds of a newer rouse, or damage. */
  skipped = 0;
  readonly #packed: SqlStatement;
  readonly #page: SqlStatement;
  readonly #newestBatches: SqlStatement;
  readonly #newestPacked: SqlStatement;

  constructor(database: Database) {
    this.#packed = database.prepare("select * from packed where session_no = ? and id > ? order by id limit 1");
    this.#page = database.prepare(`select * from batches where session_no = ? and id > ? order by id limit ${PAGE}`);
    this.#newestBatches = database.prepare(
      `select id, count as signals from batches where session_no = ? and id < ? order by id desc limit ${PAGE}`,
    );
    this.#newestPacked = database.prepare(
      `select id, signals from packed where session_no = ? and id < ? order by id desc limit ${PAGE}`,
    );
  }

  *ofSession({ no }: KnownSession, { after = 0, onHole }: ReadOptions): Generator<StoredSignal> {
    for (let last = after; ; ) {
      const packed = this.#packed.get(no, last);
      const page = packed ? this.#open(packed, onHole).filter(({ id }) => Number(id) > last) : this.#page.all(no, last);
      if (!packed && page.length === 0) return;
      last = Number((packed ?? page.at(-1))?.id);
      for (const batch of page) yield* this.#signals(batch, onHole);
    }
  }

  /** The batch after which there are about this many signals of the session, and not many more; 0 if there are fewer. */
  startOfNewest({ no }: KnownSession, signals: number): number {
    let left = signals;
    for (const statement of [this.#newestBatches, this.#newestPacked])
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const page = statement.all(no, before);
        for (const row of page) {
          if (left <= 0) return Number(row.id);
          left -= Number(row.signals);
        }
        if (page.length < PAGE) break;
        before = Number(page.at(-1)?.id);
      }
    return 0;
  }

  #open(packed: SqlRow, onHole?: () => void): SqlRow[] {
    const batches = unpacked(packed);
    if (batches) return batches;
    this.skipped += Number(packed.signals);
    onHole?.();
    return [];
  }

  *#signals(batch: SqlRow, onHole?: () => void): Generator<StoredSignal> {
    const text = String(batch.signals);
    const list = batch.crc === null || batch.crc === batchSum(batch, text) ? parseList(text) : null;
    if (!list) {
      this.skipped += Number(batch.count);
      onHole?.();
    }
    const firstSeq = batch.first_seq;
    for (const [index, value] of (list ?? []).entries()) {
      const signal = parseSignal(value);
      if (!signal) this.skipped++;
      else {
        const seq = typeof firstSeq === "number" ? firstSeq + index : null;
        yield { batch: Number(batch.id), seq, signal, receivedAt: Number(batch.received_at) };
      }
    }
  }
}

/** The checksum of a batch. Rows from before it was introduced have none. */
export const batchSum = ({ session_no, first_seq, received_at }: SqlRow, text: string): number =>
  crc32(text, crc32([session_no, first_seq, received_at].join(" ")));

function parseList(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
