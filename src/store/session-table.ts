/** The sessions of the journal; the numbers needed for every append are kept in memory. */
import type { AgentSession } from "../core/agent.js";
import { parseSession } from "./session-schema.js";
import { type Database, inTransaction, type SqlRow, type SqlStatement } from "./sqlite.js";

export interface KnownSession {
  readonly no: number;
  readonly session: string;
  /** The highest number that is committed. */
  acked: number;
  /** The highest number that is committed or waits for the next commit. */
  reserved: number;
  /** The session as stored; null if it was not written since the table was read. */
  record: string | null;
  /** Signals after its snapshot, or all of them; `since` is when the first one was received. */
  tail: Amount;
  /** Bytes of its batches that are not packed. */
  loose: Amount;
}

export interface Amount {
  amount: number;
  since: number | null;
}

export class SessionTable {
  readonly #database: Database;
  readonly #bySession = new Map<string, KnownSession>();
  readonly #upsert: SqlStatement;
  readonly #update: SqlStatement;
  readonly #tailOf: SqlStatement;
  readonly #looseOf: SqlStatement;

  constructor(database: Database) {
    this.#database = database;
    this.#upsert = database.prepare(
      `insert into sessions (session, record, touched_at) values (?, ?, ?)
       on conflict (session) do update set record = excluded.record, touched_at = max(touched_at, excluded.touched_at)
       where record <> excluded.record
       returning no`,
    );
    this.#update = database.prepare(
      `update sessions set acked = max(acked, ?), lost = lost + ?, signals = signals + ?, bytes = bytes + ?,
       touched_at = max(touched_at, ?) where no = ?`,
    );
    this.#tailOf = database.prepare(
      `with of as (select ?1 as no, coalesce((select batch from snapshots where session_no = ?1 and fits <> ''), 0) as batch)
       select total(n) as amount, min(at) as since from (
         select count as n, received_at as at from batches, of where session_no = of.no and id > of.batch
         union all
         select signals, received_from from packed, of where session_no = of.no and id > of.batch)`,
    );
    this.#looseOf = database.prepare(
      "select total(octet_length(signals)) as amount, min(received_at) as since from batches where session_no = ?",
    );
    this.reload();
  }

  known(session: string): KnownSession | undefined {
    return this.#bySession.get(session);
  }

  list(): KnownSession[] {
    return [...this.#bySession.values()];
  }

  /** After its batches were packed, removed or taken into a snapshot. */
  measure(known: KnownSession): void {
    known.tail = amountOf(this.#tailOf.get(known.no));
    known.loose = amountOf(this.#looseOf.get(known.no));
  }

  /** A heartbeat sends the same session every few seconds: that writes nothing. */
  put(session: AgentSession, now: number): void {
    const record = JSON.stringify(session);
    if (this.#bySession.get(session.id)?.record === record) return;
    // In a transaction of its own: a single statement returns its row before its commit, and hides that the disk was
    // full.
    const row = inTransaction(this.#database, () => this.#upsert.get(session.id, record, now));
    if (row && !this.#bySession.has(session.id)) this.#remember(Number(row.no), session.id, 0);
    const known = this.#bySession.get(session.id);
    if (known) known.record = record;
  }

  /** An unreadable row is left out; its signals stay. */
  all(): AgentSession[] {
    return this.#rows().flatMap((session) => session ?? []);
  }

  countUnreadable(): number {
    return this.#rows().filter((session) => session === null).length;
  }

  #rows(): (AgentSession | null)[] {
    const rows = this.#database.prepare("select record from sessions order by no").all();
    return rows.map(({ record }) => parseSession(parseJson(String(record))));
  }

  /** Adds the counts of a transaction; to be called inside it. */
  count(known: KnownSession, acked: number, lost: number, signals: number, bytes: number, at: number): void {
    this.#update.run(acked, lost, signals, bytes, at, known.no);
  }

  /** Adds the batches of a committed transaction. */
  grow(known: KnownSession, signals: number, bytes: number, at: number): void {
    known.tail = added(known.tail, signals, at);
    known.loose = added(known.loose, bytes, at);
  }

  /** After a failed commit nothing is pending. */
  forgetReserved(): void {
    for (const known of this.#bySession.values()) known.reserved = known.acked;
  }

  reload(): void {
    this.#bySession.clear();
    for (const row of this.#database.prepare("select no, session, acked from sessions").all())
      this.#remember(Number(row.no), String(row.session), Number(row.acked));
  }

  /** After the file was renewed: sessions may be missing in it, and what hosts were told stays true. */
  takeOver(now: number): void {
    const before = [...this.#bySession.values()];
    this.reload();
    for (const { session, record, acked } of before) {
      if (record !== null && !this.#bySession.has(session)) {
        const row = inTransaction(this.#database, () => this.#upsert.get(session, record, now));
        this.#remember(Number(row?.no), session, 0);
      }
      const known = this.#bySession.get(session);
      if (!known || known.acked >= acked) continue;
      this.count(known, acked, 0, 0, 0, now);
      known.acked = known.reserved = acked;
    }
  }

  #remember(no: number, session: string, acked: number): void {
    const known = { no, session, acked, reserved: acked, record: null, tail: NOTHING, loose: NOTHING };
    this.measure(known);
    this.#bySession.set(session, known);
  }
}

const NOTHING: Amount = { amount: 0, since: null };

const amountOf = (row: SqlRow | undefined): Amount => ({
  amount: Number(row?.amount ?? 0),
  since: typeof row?.since === "number" ? row.since : null,
});

const added = ({ amount, since }: Amount, more: number, at: number): Amount => ({
  amount: amount + more,
  since: since ?? at,
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
