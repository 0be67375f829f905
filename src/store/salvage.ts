/**
 * Copies what can be read of a damaged or removed journal into a new one, row by row. Signals are left out: hosts and
 * sensors report the present again, and snapshots hold what was learned.
 */
import { outdateSnapshots } from "./snapshots.js";
import type { Cell, Database, SqlRow } from "./sqlite.js";

const SIGNALS: ReadonlySet<string> = new Set(["batches", "packed"]);
const PAGE = 64;

export function salvage(from: Database, to: Database): void {
  const tables = to
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  for (const table of tables.filter((name) => !SIGNALS.has(name))) {
    to.exec("begin immediate");
    for (const row of readable(from, table)) insert(to, table, row);
    to.exec("commit");
  }
  // Whatever came after the snapshots is lost; what was learned until then still holds.
  outdateSnapshots(to, "true");
  // Numbers of batches continue, since snapshots name the last one that they contain.
  const last = Math.max(newestBatch(from), newestBatch(to));
  to.exec(`update sessions set signals = 0, bytes = 0;
    delete from sqlite_sequence where name = 'batches';
    insert into sqlite_sequence (name, seq) values ('batches', ${last})`);
}

/** The number of the last batch that was ever stored, whether it is still there or not. */
export function newestBatch(database: Database): number {
  try {
    return Number(database.prepare("select seq from sqlite_sequence where name = 'batches'").get()?.seq ?? 0);
  } catch {
    return 0;
  }
}

/** In pages: an unreadable row ends its page, not the table. */
function* readable(from: Database, table: string): Generator<SqlRow> {
  for (let offset = 0; ; offset += PAGE) {
    const rows = page(from, table, PAGE, offset);
    if (rows) {
      yield* rows;
      if (rows.length < PAGE) return;
      continue;
    }
    let isEmpty = true;
    for (let at = offset; at < offset + PAGE; at++)
      for (const row of page(from, table, 1, at) ?? []) {
        isEmpty = false;
        yield row;
      }
    if (isEmpty) return;
  }
}

/** Null if it cannot be read. */
function page(from: Database, table: string, limit: number, offset: number): SqlRow[] | null {
  try {
    return from.prepare(`select * from ${table} limit ? offset ?`).all(limit, offset);
  } catch {
    return null;
  }
}

/** A row that violates a rule of the table is left out. */
function insert(to: Database, table: string, row: SqlRow): void {
  const columns = Object.keys(row);
  try {
    to.prepare(
      `insert or ignore into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
    ).run(...columns.map((column): Cell => row[column] ?? null));
  } catch {
    // See above.
  }
}
