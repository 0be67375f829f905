/**
 * The screen at every change of an agent's state, for a week: what the terminal showed when rouse judged it. In a file of its
 * own, so that screens neither fill the journal nor delay it; losing it loses only pictures.
 */
import { rmSync } from "node:fs";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type Database, loadSqlite, type SqlRow } from "../../store/sqlite.js";

export interface StoredScreen {
  at: number;
  state: string;
  cause: string | null;
}

const KEPT_MS = 7 * 24 * 3600_000;
/** About 1 kB each. */
const SCREENS_MAX = 20_000;
const SCREENS_OF_AGENT_MAX = 1000;
const LISTED_MAX = 1000;
const PRUNE_EVERY = 100;
const SCHEMA = `
  pragma journal_mode = wal; pragma synchronous = off; pragma auto_vacuum = incremental;
  create table if not exists screens (
    id integer primary key, agent text not null, at integer not null, state text not null, cause text, rows blob not null
  ) strict;
  create index if not exists screens_by_agent on screens (agent, at);
  create index if not exists screens_by_time on screens (at);`;

export class ScreenStore {
  readonly #database: Database;
  #added = 0;

  /** A damaged file is replaced. */
  constructor(path: string) {
    this.#database = opened(path);
  }

  add(agent: string, screen: StoredScreen, rows: readonly string[]): void {
    const { at, state, cause } = screen;
    this.#database
      .prepare("insert into screens (agent, at, state, cause, rows) values (?, ?, ?, ?, ?)")
      .run(agent, at, state, cause, deflateRawSync(rows.join("\n")));
    if (++this.#added % PRUNE_EVERY === 0) this.prune(at);
  }

  /** The latest first. */
  list(agent: string): StoredScreen[] {
    return this.#database
      .prepare("select at, state, cause from screens where agent = ? order by at desc limit ?")
      .all(agent, LISTED_MAX)
      .map((row) => screenOf(row));
  }

  /** The screen of the last change of state up to that time. */
  before(agent: string, at: number): (StoredScreen & { rows: string[] }) | null {
    const row = this.#database
      .prepare("select at, state, cause, rows from screens where agent = ? and at <= ? order by at desc limit 1")
      .get(agent, at);
    if (!row) return null;
    const rows = inflateRawSync(row.rows as Uint8Array).toString("utf8");
    return { ...screenOf(row), rows: rows.split("\n") };
  }

  prune(now: number): void {
    this.#database.prepare("delete from screens where at < ?").run(now - KEPT_MS);
    this.#database
      .prepare("delete from screens where id <= (select id from screens order by id desc limit 1 offset ?)")
      .run(SCREENS_MAX);
    for (const { agent } of this.#database
      .prepare("select agent from screens group by agent having count(*) > ?")
      .all(SCREENS_OF_AGENT_MAX))
      this.#database
        .prepare(
          `delete from screens where agent = ?1 and at <=
             (select at from screens where agent = ?1 order by at desc limit 1 offset ${SCREENS_OF_AGENT_MAX})`,
        )
        .run(agent ?? "");
    this.#database.exec("pragma incremental_vacuum(200)");
  }

  close(): void {
    this.#database.close();
  }
}

const screenOf = ({ at, state, cause }: SqlRow): StoredScreen => ({
  at: Number(at),
  state: String(state),
  cause: typeof cause === "string" ? cause : null,
});

function opened(path: string): Database {
  const open = (): Database => {
    const database = loadSqlite().open(path);
    database.exec(SCHEMA);
    return database;
  };
  try {
    return open();
  } catch {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    return open();
  }
}
