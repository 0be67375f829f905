/**
 * What a session's signals up to a batch amount to, one row per session: a restart reads it and the signals after it. A
 * row is an extract of signals that are stored besides, so a damaged or foreign one costs nothing but time.
 */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Database, SqlRow, SqlStatement } from "./sqlite.js";

export interface Snapshot {
  /** The last batch that it contains. */
  batch: number;
  /** By which rules and of which session it was made: one for others is not used. Empty if it is outdated. */
  fits: string;
  /** Time of the last judgement in it. */
  at: number;
  data: Uint8Array;
}

/** No state of a session is larger; a damaged row may claim to be. */
const DATA_BYTES_MAX = 64 * 1024 * 1024;

export class SnapshotTable {
  readonly #get: SqlStatement;
  readonly #put: SqlStatement;

  constructor(database: Database) {
    this.#get = database.prepare("select * from snapshots where session_no = ?");
    this.#put = database.prepare(
      `insert or replace into snapshots (session_no, batch, fits, at, crc, data) values (?, ?, ?, ?, ?, ?)`,
    );
  }

  /** Null if there is none that can be read. */
  find(no: number): Snapshot | null {
    const row = this.#get.get(no);
    try {
      if (!(row?.data instanceof Uint8Array) || row.crc !== snapshotSum(row, row.data)) return null;
      const data = inflateRawSync(row.data, { maxOutputLength: DATA_BYTES_MAX });
      return { batch: Number(row.batch), fits: String(row.fits), at: Number(row.at), data };
    } catch {
      return null;
    }
  }

  put(no: number, { batch, fits, at, data }: Snapshot): void {
    const packed = deflateRawSync(data, { level: 3 });
    const sum = snapshotSum({ session_no: no, batch, fits, at }, packed);
    this.#put.run(no, batch, fits, at, sum, packed);
  }
}

/** Signals after some snapshots are gone: these no longer describe a state, only what was learned until then. */
export function outdateSnapshots(database: Database, where: string, ...values: number[]): void {
  const rows = database.prepare(`select * from snapshots where fits <> '' and ${where}`).all(...values);
  const update = database.prepare("update snapshots set fits = '', crc = ? where session_no = ?");
  for (const row of rows)
    if (row.data instanceof Uint8Array) update.run(snapshotSum({ ...row, fits: "" }, row.data), Number(row.session_no));
}

const snapshotSum = ({ session_no, batch, fits, at }: SqlRow, data: Uint8Array): number =>
  crc32(data, crc32([session_no, batch, fits, at].join(" ")));
