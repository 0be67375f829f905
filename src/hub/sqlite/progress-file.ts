/**
 * `progress.db`: the table `agent_progress` that agents update by SQL. It is a file of its own, so that an agent never opens
 * `hub.db`, and everything in it is a report to be checked, never the truth. `hub.db` holds the rows; this is their copy.
 *
 * `agent_progress` is a view: its trigger sets the times, refuses what cannot be true, and appends a report. It uses a
 * rollback journal, because agents bring older releases of SQLite, which can corrupt a write-ahead log.
 */
import { closeSync, constants, existsSync, lstatSync, openSync, renameSync, statSync } from "node:fs";
import { type Database, inTransaction, type Sqlite } from "../../store/sqlite.js";

/** Copied from the hub. `steps`: how many steps the task has; 0 if it has none. */
export interface MirroredRow {
  id: number;
  task: number;
  agentTaskName: string | null;
  lastCheckpoint: number | null;
  lastStep: string | null;
  completedSteps: string;
  status: string | null;
  createdAt: number;
  updatedAt: number;
  steps: number;
}

/** One UPDATE of an agent. */
export interface SqlReport {
  seq: number;
  id: number;
  lastStep: string;
  completedSteps: string;
  status: string;
  at: number;
}

const REPORTS_MAX = 10_000;
const BUSY_TIMEOUT_MS = 5_000;

const SCHEMA = [
  `create table rows (
  id integer primary key, queue_item_id integer not null, agent_task_name text, last_checkpoint text, last_step text,
  completed_steps text, status text, created_at text, updated_at text, steps integer not null
) strict`,
  `create table reports (
  seq integer primary key autoincrement, id integer not null, last_step text not null, completed_steps text not null,
  status text not null, at integer not null
) strict`,
  `create view agent_progress as select id, queue_item_id, agent_task_name, last_checkpoint, last_step, completed_steps, status,
  created_at, updated_at from rows`,
  `create trigger agent_progress_update instead of update on agent_progress
begin
  select raise(abort, 'rouse: only last_checkpoint, last_step, completed_steps and status can be updated')
    where new.id is not old.id or new.queue_item_id is not old.queue_item_id or new.agent_task_name is not old.agent_task_name
      or new.created_at is not old.created_at;
  select raise(abort, 'rouse: this row is not in_progress; its session has ended or was replaced')
    where old.status is not 'in_progress';
  select raise(abort, 'rouse: status must be in_progress, completed or failed')
    where coalesce(new.status, '') not in ('in_progress', 'completed', 'failed');
  select raise(abort, 'rouse: completed_steps must be a JSON array of step numbers')
    where new.completed_steps is not null and (not json_valid(new.completed_steps) or json_type(new.completed_steps) <> 'array');
  select raise(abort, 'rouse: the task has no such step')
    where exists (select 1 from json_each(coalesce(new.completed_steps, '[]')) s, rows r where r.id = old.id
      and (s.type <> 'integer' or s.value < 1 or s.value > case r.steps when 0 then 1000000 else r.steps end));
  select raise(abort, 'rouse: too many updates are waiting for rouse; is its daemon running?')
    where (select max(seq) - min(seq) from reports) >= ${REPORTS_MAX};
  update rows set last_checkpoint = current_timestamp, updated_at = current_timestamp,
    last_step = substr(coalesce(new.last_step, ''), 1, 4000), completed_steps = coalesce(new.completed_steps, old.completed_steps)
    where id = old.id;
  insert into reports (id, last_step, completed_steps, status, at)
    values (old.id, substr(coalesce(new.last_step, ''), 1, 4000), coalesce(new.completed_steps, old.completed_steps, '[]'),
      new.status, cast((julianday('now') - 2440587.5) * 86400000 as integer));
end`,
];

export class ProgressFile {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  /** Called for a new file: all rows have to be copied again, and reports continue after this number. */
  readonly #onCreate: () => number;
  #database: Database | null = null;
  #inode = 0;

  constructor(sqlite: Sqlite, path: string, onCreate: () => number) {
    this.#sqlite = sqlite;
    this.#path = path;
    this.#onCreate = onCreate;
  }

  reports(after: number): SqlReport[] {
    return this.#open()
      .prepare("select * from reports where seq > ? order by seq limit 1000")
      .all(after)
      .map((row) => ({
        seq: Number(row.seq),
        id: Number(row.id),
        lastStep: String(row.last_step),
        completedSteps: String(row.completed_steps),
        status: String(row.status),
        at: Number(row.at),
      }));
  }

  /** Up to and including this one. */
  removeReports(seq: number): void {
    this.#open().prepare("delete from reports where seq <= ?").run(seq);
  }

  mirror(rows: readonly MirroredRow[]): void {
    const database = this.#open();
    inTransaction(database, () => {
      const put = database.prepare("insert or replace into rows values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      for (const row of rows)
        put.run(
          row.id,
          row.task,
          row.agentTaskName,
          row.lastCheckpoint === null ? null : timestamp(row.lastCheckpoint),
          row.lastStep,
          row.completedSteps,
          row.status,
          timestamp(row.createdAt),
          timestamp(row.updatedAt),
          row.steps,
        );
    });
  }

  /** Removes the rows of tasks that no longer exist. */
  keepOnly(tasks: readonly number[]): void {
    this.#open()
      .prepare("delete from rows where queue_item_id not in (select value from json_each(?))")
      .run(JSON.stringify(tasks));
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** Opened again if another program removed or replaced the file. */
  #open(): Database {
    const found = lstatSync(this.#path, { throwIfNoEntry: false });
    if (this.#database && found?.isFile() && found.ino === this.#inode) return this.#database;
    this.close();
    if (found && !found.isFile()) setAside(this.#path);
    try {
      return this.#connect();
    } catch (error) {
      // Busy is not damage.
      if (/\block(?:ed)?\b|busy/i.test(String(error))) throw error;
      this.close();
      if (existsSync(this.#path)) setAside(this.#path);
      return this.#connect();
    }
  }

  #connect(): Database {
    closeSync(openSync(this.#path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
    const database = this.#sqlite.open(this.#path);
    this.#database = database;
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma trusted_schema = off`);
    this.#inode = statSync(this.#path).ino;
    inTransaction(database, () => {
      const known = database
        .prepare("select sql from sqlite_schema where sql is not null and name not like 'sqlite_%'")
        .all();
      if (known.length === 0) {
        for (const statement of SCHEMA) database.exec(statement);
        database.prepare("insert into sqlite_sequence (name, seq) values ('reports', ?)").run(this.#onCreate());
      } else if (SCHEMA.some((statement) => !known.some(({ sql }) => normal(sql) === normal(statement))))
        throw new Error(`the tables of ${this.#path} were changed`);
    });
    return database;
  }
}

const normal = (sql: unknown): string => String(sql).replace(/\s+/g, " ").toLowerCase();

const timestamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

/** Kept for the user; nothing is deleted. */
function setAside(path: string): void {
  let aside = `${path}.bad`;
  for (let again = 2; lstatSync(aside, { throwIfNoEntry: false }); again++) aside = `${path}.bad-${again}`;
  renameSync(path, aside);
  if (existsSync(`${path}-journal`)) renameSync(`${path}-journal`, `${aside}-journal`);
}
