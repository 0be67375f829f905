/** Keeping the journal within its bounds: first by age, then by size. */
import { pragma } from "./migrations.js";
import type { Cell, Database, Row } from "./sqlite.js";

export interface Bounds {
  now: number;
  maxAgeMs: number;
  /** Of the pages in use. */
  maxBytes: number;
}

/** So many batches go per transaction: a long one would hold up the appends behind it. */
const CHUNK = 256;
/** By size it is cut to somewhat less than the bound, or each following append would cut again. */
const CUT_TO = 0.9;

/** Returns how many signals were removed. */
export function prune(database: Database, { now, maxAgeMs, maxBytes }: Bounds): number {
  const oldest = now - maxAgeMs;
  let removed = 0;
  for (let count = -1; count !== 0; removed += count)
    count = remove(database, `received_at < ? order by id limit ${CHUNK}`, oldest);
  if (usedBytes(database) > maxBytes) removed += cut(database, maxBytes * CUT_TO);
  // Who has nothing left and was not heard of since has nothing more to be told.
  database
    .prepare("delete from sessions where signals = 0 and touched_at < ? and no not in (select session_no from batches)")
    .run(oldest);
  database.exec("pragma incremental_vacuum");
  return removed;
}

/** Takes the oldest from the session that occupies most, again and again: a flood costs its own agent first. */
function cut(database: Database, bytes: number): number {
  let removed = 0;
  while (usedBytes(database) > bytes) {
    const largest = database.prepare("select no from sessions where signals > 0 order by bytes desc limit 1").get();
    if (!largest) break;
    const count = remove(database, `session_no = ? order by id limit ${CHUNK}`, largest.no ?? 0);
    if (count === 0) break;
    removed += count;
  }
  return removed;
}

function remove(database: Database, where: string, value: Cell): number {
  database.exec("begin immediate");
  const gone = database
    .prepare(
      `delete from batches where id in (select id from batches where ${where})
       returning session_no, count, octet_length(signals) as bytes`,
    )
    .all(value);
  const update = database.prepare("update sessions set signals = signals - ?, bytes = bytes - ? where no = ?");
  for (const [no, { signals, bytes }] of totals(gone)) update.run(signals, bytes, no);
  database.exec("commit");
  return gone.reduce((sum, row) => sum + Number(row.count), 0);
}

function totals(rows: readonly Row[]): Map<number, { signals: number; bytes: number }> {
  const found = new Map<number, { signals: number; bytes: number }>();
  for (const row of rows) {
    const no = Number(row.session_no);
    const sum = found.get(no) ?? { signals: 0, bytes: 0 };
    sum.signals += Number(row.count);
    sum.bytes += Number(row.bytes);
    found.set(no, sum);
  }
  return found;
}

export function usedBytes(database: Database): number {
  return (pragma(database, "page_count") - pragma(database, "freelist_count")) * pragma(database, "page_size");
}
