/**
 * The journal's tables, as numbered steps that only go forward: a released step is never changed, and a file of a newer
 * rouse is left alone.
 *
 * One row of `batches` is one append: signals are written, read and removed together, and one row per batch instead of
 * per signal takes a fifth of the time and of the space. `first_seq` is null for signals of the daemon's own sensors.
 */
import { JournalError } from "./journal-error.js";
import type { Database } from "./sqlite.js";

const STEPS: readonly string[] = [
  `create table sessions (
     no integer primary key,
     session text not null unique,
     record text not null,
     acked integer not null default 0,
     lost integer not null default 0,
     signals integer not null default 0,
     bytes integer not null default 0,
     touched_at integer not null
   ) strict;
   create table batches (
     id integer primary key autoincrement,
     session_no integer not null references sessions (no),
     first_seq integer,
     count integer not null,
     received_at integer not null,
     signals text not null
   ) strict;
   create index batches_by_session on batches (session_no, id);
   create index batches_by_time on batches (received_at);`,
  // Incidents, actions and related entries: one row each, as JSON. See `incident-table.ts`.
  `create table book (
     list text not null,
     id text not null,
     record text not null,
     primary key (list, id)
   ) strict, without rowid;`,
  // Notices to orchestrators, and which edges were sent: see `messages.ts`. Alerts and their deliveries: see
  // `outbox.ts`.
  `create table messages (
     id integer primary key autoincrement,
     receiver text not null,
     key text not null,
     type text not null,
     sender text not null,
     at integer not null,
     payload text not null,
     acked_at integer,
     unique (receiver, key)
   ) strict;
   create index messages_open on messages (receiver, id) where acked_at is null;
   create table told (
     subject text not null,
     edge text not null,
     at integer not null,
     primary key (subject, edge)
   ) strict, without rowid;
   create table alerts (
     key text not null primary key,
     subject text not null,
     edge text not null,
     at integer not null,
     record text not null
   ) strict;
   create index alerts_by_subject on alerts (subject, at);
   create table deliveries (
     key text not null,
     channel text not null,
     state text not null,
     attempts integer not null default 0,
     due_at integer not null,
     changed_at integer not null,
     problem text,
     primary key (key, channel)
   ) strict;
   create index deliveries_due on deliveries (state, due_at);`,
  // The words of 0.1.0: problem, action, phases of an incident, report level, session id. Only keys and table names change.
  `alter table book rename to incident_state;
   alter table told rename to sent_edges;
   alter table deliveries rename column problem to error;
   update incident_state set list = 'actions' where list = 'deeds';
   update incident_state set record = json_remove(json_set(record, '$.problem', json_extract(record, '$.trouble')), '$.trouble')
     where list in ('incidents', 'silences', 'feedback') and json_valid(record) and json_type(record, '$.trouble') is not null;
   update incident_state set record = json_set(record,
       '$.phase', case json_extract(record, '$.phase')
         when 'told' then 'open' when 'resolved' then 'recovered' when 'lapsed' then 'closed'
         else json_extract(record, '$.phase') end,
       '$.level', case json_extract(record, '$.level') when 'tell' then 'report' else json_extract(record, '$.level') end)
     where list = 'incidents' and json_valid(record);
   update incident_state set record = json_remove(
       json_set(record, '$.escalated.wouldDo', json_extract(record, '$.escalated.would')), '$.escalated.would')
     where list = 'incidents' and json_valid(record) and json_type(record, '$.escalated.would') is not null;
   update incident_state set record = json_remove(json_set(record, '$.escalated.overBudget', json('true')), '$.escalated.beyond')
     where list = 'incidents' and json_valid(record) and json_type(record, '$.escalated.beyond') is not null;
   update sessions set record = json_remove(json_set(record, '$.id', json_extract(record, '$.session')), '$.session')
     where json_valid(record) and json_type(record, '$.session') is not null;`,
  // An incident is open until it ends; before it is confirmed, it is suspected.
  `update incident_state set record = json_set(record, '$.phase', 'suspected')
     where list = 'incidents' and json_valid(record) and json_extract(record, '$.phase') = 'open';`,
  // Which client acknowledged a message, and keys of clients apart from rouse's own. The audit trail (`audit.ts`), and the
  // last known content of files that users edit.
  `alter table messages add column acked_by text;
   update messages set key = 'client:' || json_array(sender, key) where sender <> 'rouse';
   create table audit (
     id integer primary key,
     ref integer,
     record text not null,
     prev text not null,
     hash text not null
   ) strict;
   create index audit_by_ref on audit (ref) where ref is not null;
   create table audited_files (
     path text not null primary key,
     digest text not null
   ) strict, without rowid;`,
  // A checksum per batch. What a session's signals up to a batch amount to: see `snapshots.ts`. Batches up to there,
  // many in one compressed row, under the number of the last: see `packing.ts`.
  `alter table batches add column crc integer;
   create table snapshots (
     session_no integer primary key references sessions (no) on delete cascade,
     batch integer not null,
     fits text not null,
     at integer not null,
     crc integer not null,
     data blob not null
   ) strict;
   create table packed (
     id integer primary key,
     session_no integer not null references sessions (no) on delete cascade,
     count integer not null,
     signals integer not null,
     received_from integer not null,
     received_to integer not null,
     crc integer not null,
     data blob not null
   ) strict;
   create index packed_by_session on packed (session_no, id);
   create index packed_by_time on packed (received_to);`,
];

export const JOURNAL_SCHEMA: number = STEPS.length;

/** "rous" in ASCII: distinguishes a journal from any other SQLite file. */
const APPLICATION_ID = 0x726f7573;

export function migrate(database: Database, path: string): void {
  const version = readPragma(database, "user_version");
  const tables = Number(database.prepare("select count(*) as n from sqlite_schema").get()?.n);
  if (tables > 0 && readPragma(database, "application_id") !== APPLICATION_ID)
    throw new JournalError("foreign", `${path} is a database of another program: move it away`);
  if (version > JOURNAL_SCHEMA)
    throw new JournalError(
      "newer",
      `${path} was written by a newer rouse (schema ${version}, this one knows ${JOURNAL_SCHEMA}): ` +
        "use that rouse, or move the file away",
    );
  for (let step = version; step < JOURNAL_SCHEMA; step++) {
    database.exec(
      `begin immediate; pragma application_id = ${APPLICATION_ID}; ${STEPS[step]}; pragma user_version = ${step + 1}; commit`,
    );
  }
}

/**
 * Creates tables and indexes again that another program removed. Returns the names of the tables, or the name of a column that
 * a table has lost: then nothing was changed.
 */
export function restoreTables(database: Database, reference: Database): { created: string[] } | { column: string } {
  migrate(reference, "");
  const known = new Set(namesIn(database));
  const column = columnsIn(reference).find((name) => known.has(name.split(".")[0] ?? "") && !known.has(name));
  if (column !== undefined) return { column };
  const missing = reference
    .prepare(OBJECTS)
    .all()
    .filter(({ name }) => !known.has(String(name)));
  for (const { sql } of missing) database.exec(String(sql));
  return { created: missing.flatMap(({ type, name }) => (type === "table" ? String(name) : [])) };
}

const OBJECTS = "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%'";
const COLUMNS =
  "select t.name as name, c.name as of from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'";

const columnsIn = (database: Database): string[] =>
  database
    .prepare(COLUMNS)
    .all()
    .map(({ name, of }) => `${String(name)}.${String(of)}`);

const namesIn = (database: Database): string[] => [
  ...database
    .prepare(OBJECTS)
    .all()
    .map(({ name }) => String(name)),
  ...columnsIn(database),
];

export function readPragma(database: Database, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}
