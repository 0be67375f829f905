/**
 * The inboxes of orchestrators: one per receiver (a tag, or an agent's name), read with a cursor, kept until they are
 * acknowledged. `sent_edges` records which changes were reported while the incident is in the incident state, so that a
 * message that was read, acknowledged and removed is not created again.
 */

import { ROUSE } from "../core/reserved.js";
import { type Database, inTransaction, type SqlRow } from "./sqlite.js";

export interface StoredMessage {
  /** Grows; the cursor of a reader. */
  id: number;
  receiver: string;
  key: string;
  type: string;
  sender: string;
  at: number;
  payload: unknown;
  ackedAt: number | null;
  /** The client that acknowledged it; null before, and for messages of older versions. */
  ackedBy: string | null;
}

export type NewMessage = Omit<StoredMessage, "id" | "ackedAt" | "ackedBy">;

const CLIENT_KEY = "client:";

/** Keys of each client live in a namespace of their own: rouse's keys follow from public ids, so a client could use one first. */
const clientKey = (sender: string, key: string): string => `${CLIENT_KEY}${JSON.stringify([sender, key])}`;

/** The key as the client gave it, or rouse's own. */
export function shownKey(key: string): string {
  if (!key.startsWith(CLIENT_KEY)) return key;
  const parts = parse(key.slice(CLIENT_KEY.length));
  return Array.isArray(parts) ? String(parts[1]) : key;
}

export interface SentEdge {
  subject: string;
  edge: string;
  at: number;
}

/** Beyond this number messages are removed: acknowledged ones first, the oldest first. */
const MESSAGES_MAX = 10_000;
const PAGE = 500;

export class MessageTable {
  readonly #database: Database;
  readonly #trying: <T>(write: () => T) => T;
  /** Unread messages dropped for lack of room. */
  dropped = 0;

  /** `trying` counts a failure and records it. */
  constructor(database: Database, trying: <T>(write: () => T) => T = (write) => write()) {
    this.#database = database;
    this.#trying = trying;
  }

  /** Only inside another transaction, such as that of the incident state. An existing message stays unchanged. */
  put(messages: readonly NewMessage[], sent: readonly SentEdge[]): void {
    const insert = this.#database.prepare(
      `insert into messages (receiver, key, type, sender, at, payload) values (?, ?, ?, ?, ?, ?)
       on conflict (receiver, key) do nothing`,
    );
    const remember = this.#database.prepare("insert or ignore into sent_edges (subject, edge, at) values (?, ?, ?)");
    for (const { receiver, key, type, sender, at, payload } of messages)
      insert.run(receiver, key, type, sender, at, JSON.stringify(payload));
    for (const { subject, edge, at } of sent) remember.run(subject, edge, at);
    if (messages.length > 0) this.#bound();
  }

  /** A client's message. Stored when this returns. */
  send(message: NewMessage): number {
    const { receiver, sender } = message;
    if (sender === ROUSE) throw new RangeError("no client sends in rouse's name");
    const key = clientKey(sender, message.key);
    return this.inOne(() => {
      this.put([{ ...message, key }], []);
      const found = this.#database.prepare("select id from messages where receiver = ? and key = ?").get(receiver, key);
      return Number(found?.id);
    });
  }

  /** In order, after the cursor; without acknowledged messages unless `all` is set. */
  read(receiver: string | null, after: number, all: boolean, limit: number = PAGE): StoredMessage[] {
    const where = `${receiver === null ? "? is null" : "receiver = ?"} and id > ?${all ? "" : " and acked_at is null"}`;
    return this.#database
      .prepare(`select * from messages where ${where} order by id limit ?`)
      .all(receiver, after, Math.min(limit, PAGE))
      .map(messageOf);
  }

  /** Id of the last message; 0 if there is none. */
  newest(): number {
    return Number(this.#database.prepare("select max(id) as id from messages").get()?.id ?? 0);
  }

  /** Acknowledges everything of this receiver up to that id, in the name of a client. Returns how many were open. */
  ack(receiver: string, upTo: number, at: number, by: string): number {
    return this.inOne(() =>
      Number(
        this.#database
          .prepare("update messages set acked_at = ?, acked_by = ? where receiver = ? and id <= ? and acked_at is null")
          .run(at, by, receiver, upTo).changes,
      ),
    );
  }

  /** The id of the newest unacknowledged message of an inbox; null if it is empty. */
  newestWaiting(receiver: string): number | null {
    const row = this.#database
      .prepare("select max(id) as id from messages where receiver = ? and acked_at is null")
      .get(receiver);
    return typeof row?.id === "number" ? row.id : null;
  }

  /** Number of unacknowledged messages by receiver. */
  waiting(): { receiver: string; count: number; oldest: number }[] {
    return this.#database
      .prepare("select receiver, count(*) as n, min(at) as at from messages where acked_at is null group by receiver")
      .all()
      .map((row) => ({ receiver: String(row.receiver), count: Number(row.n), oldest: Number(row.at) }));
  }

  sentEdges(): Map<string, Set<string>> {
    const sent = new Map<string, Set<string>>();
    for (const row of this.#database.prepare("select subject, edge from sent_edges order by subject, at, edge").all()) {
      const subject = String(row.subject);
      sent.set(subject, (sent.get(subject) ?? new Set()).add(String(row.edge)));
    }
    return sent;
  }

  /** Removes edges of unknown subjects. */
  forget(subjects: readonly string[]): void {
    if (subjects.length === 0) return;
    this.inOne(() => {
      const remove = this.#database.prepare("delete from sent_edges where subject = ?");
      for (const subject of subjects) remove.run(subject);
    });
  }

  /** The ids give an upper bound of the number; the table is counted only beyond it. */
  #bound(): void {
    const span = this.#database
      .prepare("select (select max(id) from messages) - (select min(id) from messages) + 1 as n")
      .get();
    if (Number(span?.n) <= MESSAGES_MAX) return;
    const over = Number(this.#database.prepare("select count(*) as n from messages").get()?.n) - MESSAGES_MAX;
    if (over <= 0) return;
    const gone = this.#database
      .prepare(
        "delete from messages where id in (select id from messages order by acked_at is null, id limit ?) returning acked_at",
      )
      .all(over);
    this.dropped += gone.filter((row) => row.acked_at === null).length;
  }

  /** In one transaction, stored when this returns. */
  inOne<T>(write: () => T): T {
    return this.#trying(() => inTransaction(this.#database, write));
  }
}

const messageOf = (row: SqlRow): StoredMessage => ({
  id: Number(row.id),
  receiver: String(row.receiver),
  key: String(row.key),
  type: String(row.type),
  sender: String(row.sender),
  at: Number(row.at),
  payload: parse(String(row.payload)),
  ackedAt: row.acked_at === null || row.acked_at === undefined ? null : Number(row.acked_at),
  ackedBy: typeof row.acked_by === "string" ? row.acked_by : null,
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
