/**
 * Reads the journal, one page of batches at a time: no statement stays open between two steps, so an iteration may be
 * abandoned, and never blocks a checkpoint of the write-ahead log.
 */
import { crc32 } from "node:zlib";
import type { Signal } from "../core/signal.js";
import { parseSignal } from "../readers/signal-schema.js";
import type { KnownSession } from "./session-table.js";
import type { Database, SqlRow, SqlStatement } from "./sqlite.js";

export interface StoredSignal {
  session: string;
  /** The host's number; null for signals of the daemon's own sensors. */
  seq: number | null;
  signal: Signal;
  receivedAt: number;
}

const PAGE = 64;

export class JournalReader {
  /** Unreadable signals: kinds of a newer rouse, or damage. */
  skipped = 0;
  readonly #firstOf: SqlStatement;
  readonly #pageOf: SqlStatement;
  readonly #firstSince: SqlStatement;
  readonly #pageSince: SqlStatement;

  constructor(database: Database) {
    this.#firstOf = database.prepare(
      "select min(id) as id from batches where session_no = ? and first_seq + count > ?",
    );
    this.#pageOf = database.prepare(`select * from batches where session_no = ? and id >= ? order by id limit ${PAGE}`);
    this.#firstSince = database.prepare("select min(id) as id from batches where received_at >= ?");
    this.#pageSince = database.prepare(
      `select * from batches where received_at >= ? and id >= ? order by id limit ${PAGE}`,
    );
  }

  /** `onHole` is called in the place of signals that cannot be read. */
  *ofSession(known: KnownSession, fromSeq: number, onHole?: () => void): Generator<StoredSignal> {
    const first = fromSeq > 0 ? this.#firstOf.get(known.no, fromSeq)?.id : 0;
    if (typeof first !== "number") return;
    for (const batch of pages(first, (id) => this.#pageOf.all(known.no, id)))
      for (const stored of this.#unpack(batch, known.session, onHole))
        if (stored.seq === null || stored.seq >= fromSeq) yield stored;
  }

  *since(receivedAt: number, nameOf: (no: number) => string | undefined): Generator<StoredSignal> {
    const first = this.#firstSince.get(receivedAt)?.id;
    if (typeof first !== "number") return;
    for (const batch of pages(first, (id) => this.#pageSince.all(receivedAt, id)))
      yield* this.#unpack(batch, nameOf(Number(batch.session_no)) ?? "");
  }

  *#unpack(batch: SqlRow, session: string, onHole?: () => void): Generator<StoredSignal> {
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
        yield { session, seq, signal, receivedAt: Number(batch.received_at) };
      }
    }
  }
}

/** The checksum of a batch. Rows from before it was introduced have none. */
export const batchSum = ({ session_no, first_seq, received_at }: SqlRow, text: string): number =>
  crc32(text, crc32([session_no, first_seq, received_at].join(" ")));

function* pages(first: number, pageFrom: (id: number) => SqlRow[]): Generator<SqlRow> {
  for (let from = first; ; ) {
    const page = pageFrom(from);
    yield* page;
    if (page.length < PAGE) return;
    from = Number(page.at(-1)?.id) + 1;
  }
}

function parseList(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
