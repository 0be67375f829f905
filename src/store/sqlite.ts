/**
 * SQLite through the API of `node:sqlite`: the built-in if it is new enough, else the package with the same API.
 *
 * SQLite 3.7.0 to 3.51.2 can corrupt a WAL database that several connections use (the "WAL-reset bug", fixed in March
 * 2026), so an older built-in is skipped. Only the features of Node 22's class are used: the versions differ.
 */
import { createRequire } from "node:module";

/** Blobs come back as bytes. */
export type Cell = string | number | null | Uint8Array;
export type SqlRow = Record<string, Cell>;

export interface SqlStatement {
  run(...values: Cell[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: Cell[]): SqlRow | undefined;
  all(...values: Cell[]): SqlRow[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  /**
   * The package (not the built-in) keeps statements, and with them the connection, alive until they are collected: the
   * write-ahead log is then not checkpointed, so run a checkpoint first. Renaming the file meanwhile is safe: SQLite
   * checks whether its file has moved before it uses a log by name.
   */
  close(): void;
}

export interface Sqlite {
  engine: "node:sqlite" | "@photostructure/sqlite";
  open(path: string): Database;
  /** For a database of another program: read-only. */
  openReadOnly(path: string): Database;
}

interface SqliteModule {
  DatabaseSync: new (path: string, options?: { readOnly: boolean }) => Database;
}

/** Finds modules; tests use it to simulate another Node.js. */
export interface Modules {
  builtinVersion: string | undefined;
  builtin(): SqliteModule;
  fallback(): SqliteModule;
}

const OLDEST_BUILTIN = [3, 51, 3] as const;

const require = createRequire(import.meta.url);

const FOUND: Modules = {
  builtinVersion: process.versions.sqlite,
  builtin: () => quietly(() => require("node:sqlite") as SqliteModule),
  fallback: () => require("@photostructure/sqlite") as SqliteModule,
};

/** Throws with instructions if no SQLite is available. */
export function loadSqlite(modules: Modules = FOUND): Sqlite {
  if (isNewEnough(modules.builtinVersion)) return asSqlite("node:sqlite", modules.builtin());
  try {
    return asSqlite("@photostructure/sqlite", modules.fallback());
  } catch (error) {
    const own = modules.builtinVersion
      ? `built-in SQLite ${modules.builtinVersion} is older than ${OLDEST_BUILTIN.join(".")}`
      : "no built-in SQLite";
    throw new Error(
      `no usable SQLite: Node.js ${process.version} was skipped (${own}), and the optional package ` +
        `@photostructure/sqlite did not load (${firstLine(error)}). Install rouse again without --omit=optional, ` +
        "or use Node.js 24.15 or newer.",
    );
  }
}

function asSqlite(engine: Sqlite["engine"], { DatabaseSync }: SqliteModule): Sqlite {
  return {
    engine,
    open: (path) => new DatabaseSync(path),
    openReadOnly: (path) => new DatabaseSync(path, { readOnly: true }),
  };
}

export function isNewEnough(version: string | undefined): boolean {
  if (!version) return false;
  const parts = version.split(".").map(Number);
  for (const [index, least] of OLDEST_BUILTIN.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Node 22 warns on standard error that its SQLite is experimental; users cannot act on that. */
function quietly<T>(load: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .slice(0, 300)
    .split("\n", 1)
    .join("");
}

/**
 * The same few statements run at every tick: each is compiled once. None is left half read. The connection behind it can
 * be replaced by one to another file with the same tables; statements then continue there.
 */
export class CompiledDatabase implements Database {
  #database: Database;
  readonly #compiled = new Map<string, SqlStatement>();
  readonly #statements = new Map<string, SqlStatement>();

  constructor(database: Database) {
    this.#database = database;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): SqlStatement {
    // Compiled at once, so that an error in it is found here.
    this.#compile(sql);
    const statement = this.#statements.get(sql) ?? {
      run: (...values) => this.#compile(sql).run(...values),
      get: (...values) => this.#compile(sql).get(...values),
      all: (...values) => this.#compile(sql).all(...values),
    };
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Returns the connection that was used until now; it stays open. */
  replace(database: Database): Database {
    const before = this.#database;
    this.#compiled.clear();
    this.#database = database;
    return before;
  }

  close(): void {
    this.#compiled.clear();
    this.#database.close();
  }

  #compile(sql: string): SqlStatement {
    const known = this.#compiled.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#compiled.set(sql, statement);
    return statement;
  }
}

/** A commit that failed for lack of space leaves the transaction open; one that the system ended does not. */
export function rollBack(database: Database): void {
  try {
    database.exec("rollback");
  } catch {
    // There was no open transaction.
  }
}

/** All of it or nothing. */
export function inTransaction<T>(database: Database, write: () => T): T {
  database.exec("begin immediate");
  try {
    const result = write();
    database.exec("commit");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
