/**
 * The rows of OpenCode's database that changed, for one running OpenCode.
 *
 * OpenCode writes the database while it is read: it is opened for reading only, with one short statement at a time, and
 * without ever waiting for a lock. No statement reads more than the newest rows (by their row numbers, so independent
 * of the indexes), because a query blocks the whole daemon. If the database is missing, replaced, damaged or of another
 * layout, only this source is lost, and it is tried again at the next check.
 *
 * The database contains all sessions of a user. The session of the program is the one of its folder that was written
 * last since the program started, else the one in its arguments.
 */
import { digest } from "../../core/digest.js";
import type { Refusal } from "../files.js";
import type {
  ChangedRows,
  DatabaseAccess,
  DatabaseCode,
  DatabaseLocation,
  DatabaseRow,
  ReadDatabase,
  RowSource,
} from "../transcript.js";
import { OpenCodeReader } from "./readers/rows.js";
import { placedRows, rowsToTimed } from "./readers/times.js";

/** Only this many of the newest rows of a table are read. */
const WINDOW_ROWS = 2000;
const SESSIONS_WINDOW_ROWS = 500;
const SESSIONS_MAX = 20;
/** The maximum number of rows per read, and the maximum size of a row. */
const ROWS_MAX = 300;
const DATA_CHARS_MAX = 1_000_000;
/** A row is stamped before its transaction is written, so a newer one may be seen first. */
const OVERLAP_MS = 2000;
const SLACK_MS = 2000;
const TABLES = ["session", "message", "part"] as const;

class OpenCodeDatabase implements RowSource {
  readonly #place: DatabaseLocation;
  readonly #access: DatabaseAccess;
  #database: ReadDatabase | null = null;
  #file: string | null = null;
  #statements = new Map<string, ReturnType<ReadDatabase["prepare"]>>();
  #session: string | null = null;
  #since = Number.NEGATIVE_INFINITY;
  /** Rows of the last read: those of the overlap are returned again. */
  #taken = new Map<string, string>();

  constructor(context: DatabaseLocation, access: DatabaseAccess) {
    this.#place = context;
    this.#access = access;
  }

  get path(): string {
    return this.#place.path;
  }

  /** The current session, and the time of the last row that was read. */
  get position(): { session: string; since: number } | null {
    return this.#session === null ? null : { session: this.#session, since: Math.max(0, this.#since) };
  }

  async read(): Promise<ChangedRows> {
    const nothing = { rows: [], more: false, refusal: null, isBusy: false };
    const refusal = await this.#checkFile();
    if (refusal !== null) return { ...nothing, refusal };
    try {
      if (!this.#database) this.#openAgain();
      return { ...nothing, ...this.#changed() };
    } catch (error) {
      this.close();
      return isLock(error) ? { ...nothing, isBusy: true } : { ...nothing, refusal: "unreadable" };
    }
  }

  close(): void {
    this.#statements = new Map();
    try {
      this.#database?.close();
    } catch {
      // It was replaced or removed in the meantime; nothing was written, so nothing is lost.
    }
    this.#database = null;
  }

  /** Does the file exist and belong to this user? If another file has its name now, that file is opened. */
  async #checkFile(): Promise<Refusal | null> {
    const found = await this.#access.fileId(this.#place.path, this.#place.root);
    if (!found.ok) {
      this.close();
      return found.reason;
    }
    if (this.#file === found.id) return null;
    if (this.#file !== null) this.#begin(null);
    this.#file = found.id;
    this.close();
    return null;
  }

  #openAgain(): void {
    this.#database = this.#access.open(this.#place.path);
    // The schema must not call functions, and rouse never waits for a lock.
    this.#database.exec("pragma busy_timeout = 0; pragma trusted_schema = off; pragma query_only = on");
    if (!this.#hasTables()) throw new Error("unknown database layout");
  }

  /** A view or a virtual table could cost any amount of work. */
  #hasTables(): boolean {
    const found = this.#all(
      `select name from sqlite_schema where type = 'table' and name in (${TABLES.map(() => "?").join()})
       and sql not like 'create virtual%'`,
      ...TABLES,
    );
    return found.length === TABLES.length;
  }

  #begin(session: string | null): void {
    this.#session = session;
    this.#since = Number.NEGATIVE_INFINITY;
    this.#taken.clear();
  }

  #changed(): Pick<ChangedRows, "rows" | "more"> {
    const sessions = this.#sessions();
    const current = this.#current(sessions);
    if (current === null) return { rows: [], more: false };
    if (current !== this.#session) this.#begin(current);
    const family = familyOf(sessions, current);
    const messages = this.#rowsOf("message", family);
    const parts = this.#rowsOf("part", family);
    const all = [...messages.rows, ...parts.rows].sort((a, b) => changedAt(a) - changedAt(b));
    const more = messages.more || parts.more;
    // Rows beyond the limit of the fuller table must not be skipped because the other table is ahead.
    const until = Math.min(messages.until, parts.until);
    const rows = [
      ...sessions.filter(({ id }) => family.includes(String(id))).map((row) => ({ table: "session", ...row })),
      ...all.filter((row) => changedAt(row) <= until),
    ];
    this.#since = Math.max(this.#since, newest(rows.filter(({ table }) => table !== "session")));
    return { rows: rows.filter((row) => this.#isNew(row)), more };
  }

  #sessions(): DatabaseRow[] {
    return this.#all(
      `select id, parent_id, directory, version, time_compacting, time_created, time_updated from session
       where rowid > (select max(rowid) from session) - ${SESSIONS_WINDOW_ROWS}
       order by time_updated desc`,
    );
  }

  #current(sessions: readonly DatabaseRow[]): string | null {
    const { directory, startedAt, session } = this.#place;
    const own = sessions.find(
      (row) => (row.parent_id ?? "") === "" && row.directory === directory && changedAt(row) >= startedAt - SLACK_MS,
    );
    const named = sessions.find((row) => row.id === session);
    return String((own ?? named)?.id ?? "") || null;
  }

  #rowsOf(table: "message" | "part", family: readonly string[]) {
    if (this.#since === Number.NEGATIVE_INFINITY)
      return { rows: this.#select(table, family, 0, "desc"), more: false, until: Number.POSITIVE_INFINITY };
    let rows = this.#select(table, family, this.#since - OVERLAP_MS, "asc");
    const isFull = (): boolean => rows.length === ROWS_MAX;
    // A burst larger than the limit would be read again forever.
    if (isFull() && newest(rows) <= this.#since) rows = this.#select(table, family, this.#since + 1, "asc");
    return { rows, more: isFull(), until: isFull() ? newest(rows) : Number.POSITIVE_INFINITY };
  }

  #select(table: "message" | "part", family: readonly string[], since: number, order: "asc" | "desc") {
    const columns = table === "part" ? "id, message_id, session_id" : "id, session_id";
    return this.#all(
      `select ${columns}, time_created, time_updated, data from ${table}
       where rowid > (select max(rowid) from ${table}) - ${WINDOW_ROWS}
       and session_id in (${family.map(() => "?").join()}) and time_updated >= ? and length(data) <= ${DATA_CHARS_MAX}
       order by time_updated ${order} limit ${ROWS_MAX}`,
      ...family,
      since,
    ).map((row) => ({ table, ...row, data: parsed(row.data ?? null) }));
  }

  #isNew(row: Record<string, unknown>): boolean {
    const key = `${String(row.table)} ${String(row.id)}`;
    const is = digest(JSON.stringify(row));
    if (this.#taken.get(key) === is) return false;
    this.#taken.delete(key);
    this.#taken.set(key, is);
    const oldest = this.#taken.keys().next();
    if (this.#taken.size > 2 * ROWS_MAX && !oldest.done) this.#taken.delete(oldest.value);
    return true;
  }

  #all(sql: string, ...values: DatabaseRow[string][]): DatabaseRow[] {
    const known = this.#statements.get(sql) ?? this.#database?.prepare(sql);
    if (!known) return [];
    this.#statements.set(sql, known);
    return known.all(...values);
  }
}

const isLock = (error: unknown): boolean => /\b(?:locked|busy)\b/i.test(String(error));

/** The session and those of its subagents, the newest. */
function familyOf(sessions: readonly DatabaseRow[], root: string): string[] {
  const family = new Set([root]);
  // Parents change after their children started, so several rounds may be needed.
  for (let grew = true; grew && family.size < SESSIONS_MAX; ) {
    const before = family.size;
    for (const { id, parent_id } of sessions)
      if (family.has(String(parent_id)) && family.size < SESSIONS_MAX) family.add(String(id));
    grew = family.size > before;
  }
  return [...family];
}

const newest = (rows: readonly Record<string, unknown>[]): number => Math.max(...rows.map(changedAt));

const changedAt = (row: Record<string, unknown>): number =>
  typeof row.time_updated === "number" ? row.time_updated : 0;

function parsed(data: DatabaseRow[string]): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}

export const database: DatabaseCode = {
  open: (context, access) => new OpenCodeDatabase(context, access),
  overlapMs: OVERLAP_MS,
  placeRows: placedRows,
  makeReader: (context, session) =>
    new OpenCodeReader({ ...context, ...(session === null ? {} : { follow: session }) }),
  readAll: (rows) => rowsToTimed(rows),
};
