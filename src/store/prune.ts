/** Keeps the journal within its limits: first by age, then by size. */
import { readPragma } from "./migrations.js";
import { outdateSnapshots } from "./snapshots.js";
import type { Database, SqlRow } from "./sqlite.js";

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
/** A packed row is as large as hundreds of batches. */
const PACKED_CHUNK = 4;
const PAGES = 1000;
/** By size it is cut to somewhat less than the limit, or each following append would cut again. */
const CUT_TO = 0.9;

/** Number of removed signals and sessions, and whether a further call has more to do. */
export function pruneJournal(
  database: Database,
  { now, maxAgeMs, maxBytes }: PruneLimits,
): { removed: number; sessions: number; more: boolean } {
  const oldest = now - maxAgeMs;
  const cutting = usedBytes(database) > maxBytes;
  let removed = 0;
  let chunks = 0;
  for (; chunks < CHUNKS; chunks++) {
    let count = removeOlder(database, oldest);
    if (count === 0 && cutting && usedBytes(database) > maxBytes * CUT_TO) count = removeFromLargest(database);
    if (count === 0) break;
    removed += count;
  }
  // A session without signals and without recent activity is no longer needed.
  const { changes } = database.prepare("delete from sessions where signals = 0 and touched_at < ?").run(oldest);
  database.exec(`pragma incremental_vacuum(${PAGES})`);
  const more = chunks === CHUNKS || readPragma(database, "freelist_count") > 0;
  return { removed, sessions: Number(changes), more };
}

function removeOlder(database: Database, oldest: number): number {
  return (
    remove(database, "packed", "received_to < ?", PACKED_CHUNK, oldest) ||
    remove(database, "batches", "received_at < ?", CHUNK, oldest)
  );
}

/** Removes the oldest signals of the largest session: a flood costs its own agent first. */
function removeFromLargest(database: Database): number {
  const largest = database.prepare("select no from sessions where signals > 0 order by bytes desc limit 1").get();
  if (!largest) return 0;
  const no = Number(largest.no);
  return (
    remove(database, "packed", "session_no = ?", PACKED_CHUNK, no) ||
    remove(database, "batches", "session_no = ?", CHUNK, no)
  );
}

const COLUMNS = {
  packed: "signals as count, octet_length(data) as bytes",
  batches: "count, octet_length(signals) as bytes",
} as const;

function remove(database: Database, table: keyof typeof COLUMNS, where: string, most: number, value: number): number {
  database.exec("begin immediate");
  const gone = database
    .prepare(
      `delete from ${table} where id in (select id from ${table} where ${where} order by id limit ${most})
       returning id, session_no, ${COLUMNS[table]}`,
    )
    .all(value);
  const update = database.prepare("update sessions set signals = signals - ?, bytes = max(0, bytes - ?) where no = ?");
  for (const [no, { signals, bytes, last }] of totals(gone)) {
    update.run(signals, bytes, no);
    outdateSnapshots(database, "session_no = ? and batch < ?", no, last);
  }
  database.exec("commit");
  return gone.reduce((sum, row) => sum + Number(row.count), 0);
}

interface Removed {
  signals: number;
  bytes: number;
  /** The last batch. */
  last: number;
}

function totals(rows: readonly SqlRow[]): Map<number, Removed> {
  const found = new Map<number, Removed>();
  for (const row of rows) {
    const no = Number(row.session_no);
    const sum = found.get(no) ?? { signals: 0, bytes: 0, last: 0 };
    sum.signals += Number(row.count);
    sum.bytes += Number(row.bytes);
    sum.last = Math.max(sum.last, Number(row.id));
    found.set(no, sum);
  }
  return found;
}

export function usedBytes(database: Database): number {
  return (
    (readPragma(database, "page_count") - readPragma(database, "freelist_count")) * readPragma(database, "page_size")
  );
}
