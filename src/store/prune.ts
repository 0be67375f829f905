/** Keeps the journal within its limits: first by age, then by size. */
import { readPragma } from "./migrations.js";
import type { Cell, Database, SqlRow } from "./sqlite.js";

export interface PruneLimits {
  now: number;
  maxAgeMs: number;
  /** Of the pages in use. */
  maxBytes: number;
}

/**
 * Most work of one call, about 60 ms as measured, so that judging continues: 5 ms per chunk of batches, 25 ms per
 * thousand released pages.
 */
const CHUNKS = 8;
const CHUNK = 256;
const PAGES = 1000;
/** By size it is cut to somewhat less than the limit, or each following append would cut again. */
const CUT_TO = 0.9;

/** Number of removed signals, and whether a further call has more to do. */
export function pruneJournal(
  database: Database,
  { now, maxAgeMs, maxBytes }: PruneLimits,
): { removed: number; more: boolean } {
  const oldest = now - maxAgeMs;
  const cutting = usedBytes(database) > maxBytes;
  let removed = 0;
  let chunks = 0;
  for (; chunks < CHUNKS; chunks++) {
    let count = remove(database, `received_at < ? order by id limit ${CHUNK}`, oldest);
    if (count === 0 && cutting && usedBytes(database) > maxBytes * CUT_TO) count = removeFromLargest(database);
    if (count === 0) break;
    removed += count;
  }
  // A session without signals and without recent activity is no longer needed.
  database.prepare("delete from sessions where signals = 0 and touched_at < ?").run(oldest);
  database.exec(`pragma incremental_vacuum(${PAGES})`);
  return { removed, more: chunks === CHUNKS || readPragma(database, "freelist_count") > 0 };
}

/** Removes the oldest signals of the largest session: a flood costs its own agent first. */
function removeFromLargest(database: Database): number {
  const largest = database.prepare("select no from sessions where signals > 0 order by bytes desc limit 1").get();
  return largest ? remove(database, `session_no = ? order by id limit ${CHUNK}`, largest.no ?? 0) : 0;
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

function totals(rows: readonly SqlRow[]): Map<number, { signals: number; bytes: number }> {
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
  return (
    (readPragma(database, "page_count") - readPragma(database, "freelist_count")) * readPragma(database, "page_size")
  );
}
