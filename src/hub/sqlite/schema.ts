/**
 * The tables of `hub.db`, as numbered steps that only go forward: a released step is never changed, and a file of a newer
 * rouse is left alone. Times are milliseconds, lists are JSON. The same columns as on PostgreSQL.
 */
import { type Database, inTransaction } from "../../store/sqlite.js";
import { HubError } from "../hub-error.js";
import { TASK_STATUSES } from "../task-states.js";

const STATUSES = TASK_STATUSES.map((status) => `'${status}'`).join(", ");

/** Checkpoints and comments are evidence: they disappear only together with their task. */
const appendOnly = (table: string): string =>
  `create trigger ${table}_unchanged before update on ${table}
     begin select raise(abort, '${table} are append-only'); end;
   create trigger ${table}_kept before delete on ${table} when exists (select 1 from tasks where id = old.task)
     begin select raise(abort, '${table} are append-only'); end;`;

const STEPS: readonly string[] = [
  `create table nodes (
     id text primary key,
     instance text not null,
     epoch integer not null,
     version text not null,
     joined_at integer not null
   ) strict;
   create table tasks (
     id integer primary key autoincrement,
     status text not null check (status in (${STATUSES})),
     title text not null,
     description text not null,
     diagnosis text not null,
     qa text not null,
     check_command text,
     steps text not null,
     project text not null,
     kind text not null,
     stage text not null,
     priority integer not null,
     score real,
     threshold real,
     cycle integer not null,
     parent integer references tasks on delete set null,
     tags text not null,
     blocked_by text not null,
     workspace text,
     source text,
     source_key text,
     worker text,
     attempts integer not null default 0,
     continuations integer not null default 0 check (continuations <= max_continuations),
     max_continuations integer not null,
     last_error text,
     verification text check (verification in ('verified', 'unverified', 'contradicted')),
     result text,
     author text not null,
     fence integer not null default 0,
     created_at integer not null,
     updated_at integer not null,
     unique (source, source_key)
   ) strict;
   create index tasks_queue on tasks (priority desc, id) where status = 'pending';
   create index tasks_by_status on tasks (status, id);
   create index tasks_by_parent on tasks (parent) where parent is not null;
   create table progress (
     id integer primary key autoincrement,
     task integer not null references tasks on delete cascade,
     fence integer,
     agent_task_name text,
     last_checkpoint integer,
     last_step text,
     completed_steps text not null default '[]',
     status text check (status in ('in_progress', 'stalled', 'completed', 'failed')),
     created_at integer not null,
     updated_at integer not null,
     mirrored integer not null default 0,
     unique (task, fence)
   ) strict;
   create index progress_unmirrored on progress (id) where mirrored = 0;
   create table claims (
     task integer not null references tasks on delete cascade,
     fence integer not null,
     node text not null,
     agent text not null,
     session text not null,
     progress_id integer not null,
     lease_ms integer not null,
     lease_until integer not null,
     claimed_at integer not null,
     ended text,
     ended_at integer,
     primary key (task, fence)
   ) strict, without rowid;
   create unique index claims_open on claims (task) where ended is null;
   create table checkpoints (
     id integer primary key autoincrement,
     task integer not null,
     fence integer not null,
     step integer,
     text text not null,
     source text not null,
     inferred integer not null,
     at integer not null,
     key text,
     foreign key (task, fence) references claims on delete cascade,
     unique (task, fence, key)
   ) strict;
   create table comments (
     id integer primary key autoincrement,
     task integer not null references tasks on delete cascade,
     fence integer,
     author text not null,
     node text not null,
     at integer not null,
     text text not null
   ) strict;
   create index comments_by_task on comments (task);
   ${appendOnly("checkpoints")}
   ${appendOnly("comments")}
   create table locks (
     project text not null,
     name text not null,
     holder text not null,
     node text not null,
     task integer,
     fence integer,
     since integer not null,
     lease_until integer,
     primary key (project, name)
   ) strict, without rowid;
   create table events (
     id integer primary key autoincrement,
     at integer not null,
     node text not null,
     author text not null,
     kind text not null,
     task integer,
     data text not null
   ) strict;
   create index events_by_task on events (task, id);
   create index events_by_time on events (at);
   create table inboxes (receiver text primary key, last integer not null) strict, without rowid;
   create table messages (
     receiver text not null,
     seq integer not null,
     key text not null,
     type text not null,
     sender text not null,
     payload text not null,
     at integer not null,
     acked_at integer,
     acked_by text,
     primary key (receiver, seq),
     unique (receiver, key)
   ) strict;
   create table collected (one integer primary key check (one = 1), seq integer not null) strict;
   insert into collected values (1, 0);`,
];

const SQLITE_SCHEMA: number = STEPS.length;

/** "rouh" in ASCII. */
const APPLICATION_ID = 0x726f7568;

/** Several processes may do this at once: one migrates, the others wait. */
export function migrateHub(database: Database, path: string): void {
  if (pragma(database, "user_version") === SQLITE_SCHEMA && pragma(database, "application_id") === APPLICATION_ID)
    return;
  inTransaction(database, () => {
    const version = pragma(database, "user_version");
    const tables = Number(database.prepare("select count(*) as n from sqlite_schema").get()?.n);
    if (tables > 0 && pragma(database, "application_id") !== APPLICATION_ID)
      throw new HubError("storage", `${path} is a database of another program: move it away`);
    if (version > SQLITE_SCHEMA)
      throw new HubError(
        "schema_newer",
        `${path} was written by a newer rouse (schema ${version}, this one knows ${SQLITE_SCHEMA}): update rouse on this machine`,
      );
    for (const step of STEPS.slice(version)) database.exec(step);
    database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${SQLITE_SCHEMA}`);
  });
}

function pragma(database: Database, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]);
}
