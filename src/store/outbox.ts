/**
 * The outbox: alerts, and their delivery for each channel. An alert is stored before it is sent and marked afterwards,
 * so a crash in between sends it again under the same key, and none is lost.
 *
 * pending -> sent, dead (all attempts failed; shown in status), superseded (a later alert about the same problem
 * replaces it) or dropped (the user acknowledged or silenced the problem meanwhile).
 */
import * as z from "zod";
import {
  ALERT_EDGES,
  type AlertState,
  NOTICE_KINDS,
  type Notice,
  type PlannedAlert,
  SEVERITIES,
} from "../core/notices/alert.js";
import { migrate } from "./migrations.js";
import { type Database, inTransaction, loadSqlite, type SqlRow } from "./sqlite.js";

export type DeliveryState = "pending" | "sent" | "dead" | "superseded" | "dropped";

export interface PlannedNotice {
  planned: PlannedAlert;
  notice: Notice;
}

export interface StoredDelivery {
  key: string;
  channel: string;
  state: DeliveryState;
  attempts: number;
  dueAt: number;
  changedAt: number;
  error: string | null;
  notice: Notice;
}

/** Limits for settled alerts: age and number. */
const KEPT_MS = 30 * 24 * 3_600_000;
const ALERTS_MAX = 5000;

const LATEST_OF_EACH = "row_number() over (partition by d.channel order by d.changed_at desc)";
const JOINED = `select d.*, a.subject, a.at, a.record from deliveries d join alerts a on a.key = d.key`;

export class OutboxTable {
  readonly #database: Database;
  readonly #trying: <T>(write: () => T) => T;

  constructor(database: Database, trying: <T>(write: () => T) => T = (write) => write()) {
    this.#database = database;
    this.#trying = trying;
  }

  /** Only inside another transaction. An existing alert stays unchanged. */
  put(owed: readonly PlannedNotice[]): void {
    const alert = this.#database.prepare(
      "insert or ignore into alerts (key, subject, edge, at, record) values (?, ?, ?, ?, ?)",
    );
    const delivery = this.#database.prepare(
      "insert or ignore into deliveries (key, channel, state, due_at, changed_at) values (?, ?, 'pending', ?, ?)",
    );
    for (const { planned, notice } of owed) {
      const { key, subject, edge, at, kind, severity, members, deliveries } = planned;
      alert.run(key, subject, edge, at, JSON.stringify({ kind, severity, members, notice }));
      for (const { channel, dueAt } of deliveries) delivery.run(key, channel, dueAt, at);
    }
  }

  /** Removes alerts that cannot be read: each would hold up the later ones. Returns their number. */
  removeUnreadable(): number {
    const bad = this.#database
      .prepare("select key, record from alerts")
      .all()
      .filter((row) => recordOf(row) === null);
    if (bad.length === 0) return 0;
    this.inOne(() => {
      for (const table of ["deliveries", "alerts"])
        for (const { key } of bad) this.#database.prepare(`delete from ${table} where key = ?`).run(key ?? null);
    });
    return bad.length;
  }

  /** Alerts so far by subject, without those that are not about a problem that could end. */
  states(): AlertState[] {
    const found = new Map<
      string,
      { members: readonly string[]; edges: AlertState["edges"][number][]; channels: Set<string> }
    >();
    const sent =
      "select * from alerts where subject not in (select subject from alerts where edge in ('digest', 'security')) order by at, rowid";
    for (const row of this.#database.prepare(sent).all()) {
      const record = recordOf(row);
      if (!record) continue;
      const { members, kind, severity } = record;
      const known = found.get(String(row.subject)) ?? { members, edges: [], channels: new Set<string>() };
      const edge = String(row.edge) as AlertState["edges"][number]["edge"];
      known.edges.push({ edge, at: Number(row.at), severity, kind });
      found.set(String(row.subject), known);
    }
    for (const row of this.#database
      .prepare("select distinct a.subject, d.channel from deliveries d join alerts a on a.key = d.key")
      .all())
      found.get(String(row.subject))?.channels.add(String(row.channel));
    return [...found].map(([subject, { members, edges, channels }]) => ({
      subject,
      members,
      edges,
      channels: [...channels],
    }));
  }

  /** The next alert for a channel: the longest due first. */
  next(channel: string, now: number): StoredDelivery | null {
    const due = `${JOINED} where d.state = 'pending' and d.channel = ? and d.due_at <= ? order by d.due_at, a.rowid limit 1`;
    return this.#read(due, channel, now)[0] ?? null;
  }

  /** Alerts for channels that no longer exist. */
  orphans(channels: readonly string[]): StoredDelivery[] {
    const known = new Set(channels);
    return this.#read(`${JOINED} where d.state = 'pending'`).filter(({ channel }) => !known.has(channel));
  }

  /** The current state; null if there is none. */
  find(key: string, channel: string): StoredDelivery | null {
    return this.#read(`${JOINED} where d.key = ? and d.channel = ?`, key, channel)[0] ?? null;
  }

  /** A later alert about the same subject is pending or sent on the same channel. */
  isOvertaken({ key, channel, notice }: StoredDelivery): boolean {
    const later = this.#database.prepare(
      `select count(*) as n from deliveries d join alerts a on a.key = d.key
       where a.subject = ? and d.channel = ? and d.state in ('pending', 'sent')
         and a.rowid > (select rowid from alerts where key = ?)`,
    );
    return Number(later.get(notice.subject, channel, key)?.n) > 0;
  }

  /** Any alert about it is pending or sent on the channel. */
  isSentAbout(subject: string, channel: string): boolean {
    const about = this.#database.prepare(
      `select count(*) as n from deliveries d join alerts a on a.key = d.key
       where a.subject = ? and d.channel = ? and d.state in ('pending', 'sent')`,
    );
    return Number(about.get(subject, channel)?.n) > 0;
  }

  has(key: string): boolean {
    return this.#database.prepare("select 1 from alerts where key = ?").get(key) !== undefined;
  }

  /** Into another outbox, with the state of each delivery. */
  moveTo(other: OutboxTable): void {
    other.inOne(() => {
      for (const table of ["alerts", "deliveries"])
        for (const row of this.#database.prepare(`select * from ${table} order by rowid`).all())
          other.#insert(table, row);
    });
  }

  #insert(table: string, row: SqlRow): void {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    this.#database
      .prepare(`insert or ignore into ${table} (${columns.join(", ")}) values (${places})`)
      .run(...Object.values(row));
  }

  settle(
    { key, channel }: Pick<StoredDelivery, "key" | "channel">,
    to: Omit<StoredDelivery, "key" | "channel" | "notice">,
  ): void {
    this.#trying(() =>
      this.#database
        .prepare(
          "update deliveries set state = ?, attempts = ?, due_at = ?, changed_at = ?, error = ? where key = ? and channel = ?",
        )
        .run(to.state, to.attempts, to.dueAt, to.changedAt, to.error, key, channel),
    );
  }

  /** The latest first. */
  list(limit: number): StoredDelivery[] {
    return this.#read(`${JOINED} order by a.at desc, a.rowid desc limit ?`, limit);
  }

  /** Dead or failing alerts: the latest of each channel first, then older ones. */
  unsettled(limit: number): StoredDelivery[] {
    const of = (where: string): StoredDelivery[] =>
      this.#read(`${JOINED} where ${where} order by ${LATEST_OF_EACH}, d.changed_at desc limit ?`, limit);
    return [...of("d.state = 'dead'"), ...of("d.state = 'pending' and d.attempts > 0")];
  }

  count(state: DeliveryState): number {
    return Number(this.#database.prepare("select count(*) as n from deliveries where state = ?").get(state)?.n);
  }

  /** Retries dead alerts. Returns their number. */
  revive(now: number): number {
    return this.#trying(() =>
      Number(
        this.#database
          .prepare(
            "update deliveries set state = 'pending', attempts = 0, due_at = ?, changed_at = ? where state = 'dead'",
          )
          .run(now, now).changes,
      ),
    );
  }

  /** Dismisses dead alerts. Returns their number. */
  dismiss(now: number): number {
    return this.#trying(() =>
      Number(
        this.#database.prepare("update deliveries set state = 'dropped', changed_at = ? where state = 'dead'").run(now)
          .changes,
      ),
    );
  }

  /** Time of the last digest. */
  lastDigest(): number | null {
    const at = this.#database.prepare("select max(at) as at from alerts where edge = 'digest'").get()?.at;
    return typeof at === "number" ? at : null;
  }

  /** Removes subjects without pending alerts; those in `live` stay. */
  prune(live: ReadonlySet<string>, now: number): void {
    const old = this.#database
      .prepare(
        `select subject, max(at) as at from alerts
         where subject not in (select a.subject from alerts a join deliveries d on d.key = a.key where d.state = 'pending')
         group by subject order by at desc`,
      )
      .all();
    const gone = old
      .filter((row, index) => index >= ALERTS_MAX || now - Number(row.at) > KEPT_MS)
      .map((row) => String(row.subject))
      .filter((subject) => !live.has(subject));
    if (gone.length === 0) return;
    this.inOne(() => {
      const deliveries = this.#database.prepare(
        "delete from deliveries where key in (select key from alerts where subject = ?)",
      );
      const alerts = this.#database.prepare("delete from alerts where subject = ?");
      for (const subject of gone) {
        deliveries.run(subject);
        alerts.run(subject);
      }
    });
  }

  inOne<T>(write: () => T): T {
    return this.#trying(() => inTransaction(this.#database, write));
  }

  #read(sql: string, ...values: (string | number)[]): StoredDelivery[] {
    return this.#database
      .prepare(sql)
      .all(...values)
      .flatMap((row) => {
        const record = recordOf(row);
        return record ? [deliveryOf(row, record.notice)] : [];
      });
  }
}

/** Ends with the process. */
export function openMemoryOutbox(): OutboxTable {
  const database = loadSqlite().open(":memory:");
  migrate(database, ":memory:");
  return new OutboxTable(database);
}

const deliveryOf = (row: SqlRow, notice: Notice): StoredDelivery => ({
  key: String(row.key),
  channel: String(row.channel),
  state: String(row.state) as DeliveryState,
  attempts: Number(row.attempts),
  dueAt: Number(row.due_at),
  changedAt: Number(row.changed_at),
  error: row.error === null || row.error === undefined ? null : String(row.error),
  notice,
});

type AlertRow = Pick<PlannedAlert, "kind" | "severity" | "members"> & { notice: Notice };

const word = z.string();
const words = z.array(word);
const severity = z.enum(SEVERITIES);
const kind = z.enum(NOTICE_KINDS);
const edge = z.enum(ALERT_EDGES);
/** Loose: unknown fields of a newer rouse are kept. */
const alertRow = z.looseObject({
  kind: word,
  severity,
  members: words,
  notice: z.looseObject({
    key: word,
    subject: word,
    kind,
    edge,
    severity,
    at: z.number(),
    title: word,
    lines: words,
    agents: words,
    incidents: words,
  }),
});

function recordOf(row: SqlRow): AlertRow | null {
  try {
    const record: unknown = JSON.parse(String(row.record));
    return alertRow.safeParse(record).success ? (record as AlertRow) : null;
  } catch {
    return null;
  }
}
