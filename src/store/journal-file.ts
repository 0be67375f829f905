/**
 * Opens the journal's file: private, on a local disk, locked for one writer, checked, and set aside if it is damaged.
 * Nothing is ever deleted here.
 */
import { closeSync, constants, existsSync, fchmodSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder } from "../config/paths.js";
import { networkFileSystem } from "./file-system.js";
import { JournalError } from "./journal-error.js";
import { type Release, takeLock } from "./lock.js";
import { migrate } from "./migrations.js";
import { compiledOnce, type Database, loadSqlite, type Sqlite } from "./sqlite.js";

export interface JournalFileOptions {
  /** Use the file although its file system is shared with other machines; WAL is then not used. */
  allowNetworkFileSystem?: boolean;
  /** For the name of a file that is set aside, and for the last contact of a session. */
  now?: () => number;
  /** In place of /proc/self/mountinfo. */
  mounts?: string;
}

export interface JournalFile {
  database: Database;
  engine: Sqlite["engine"];
  notes: string[];
  release: Release;
}

/** Longest wait for a busy database: only a reader such as a backup can hold it, for a moment. */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * The write-ahead log is truncated to this size after a checkpoint, so that a burst does not occupy the disk forever.
 */
const WAL_BYTES = 16 * 1024 * 1024;

export function openJournalFile(path: string, options: JournalFileOptions): JournalFile {
  const sqlite = loadSqlite();
  const folder = dirname(path);
  prepareFile(path, () => makePrivateFolder(folder));
  const network = networkFileSystem(folder, options.mounts);
  if (network && !options.allowNetworkFileSystem)
    throw new JournalError(
      "network_file_system",
      `the journal ${path} would be on a network file system (${network}), and SQLite loses data there: set XDG_STATE_HOME ` +
        "or ROUSE_HOME to a folder on a local disk, or allow it with journal.allow_network_file_system = true",
    );
  prepareFile(`${path}.lock`);
  const lock = takeLock(sqlite, path);
  if (typeof lock !== "function")
    throw new JournalError("held", `the journal ${path} is in use by ${lock.holder}: stop it first (\`rouse down\`)`);
  try {
    const notes: string[] = [];
    const database = openChecked(sqlite, path, network === null, notes, options.now ?? Date.now);
    return { database, engine: sqlite.engine, notes, release: lock };
  } catch (error) {
    lock();
    throw error;
  }
}

/**
 * SQLite creates files by the user's umask; created here first, they are private, and a link in their place is refused.
 */
function prepareFile(path: string, before: () => void = () => {}): void {
  try {
    before();
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    fchmodSync(file, 0o600);
    closeSync(file);
  } catch (error) {
    throw new JournalError("unwritable", `the journal cannot be opened: ${(error as Error).message}`, error);
  }
}

function openChecked(sqlite: Sqlite, path: string, wal: boolean, notes: string[], now: () => number): Database {
  const opened = openOnce(sqlite, path, wal);
  if (typeof opened !== "string") return opened;
  const aside = setAside(path, now());
  notes.push(`The journal was damaged (${opened}). It was kept as ${aside}, and a new one was created.`);
  prepareFile(path);
  const fresh = openOnce(sqlite, path, wal);
  if (typeof fresh === "string") throw new JournalError("unwritable", `the new journal is damaged too: ${fresh}`);
  return fresh;
}

/** The open database, or a description of the damage. */
function openOnce(sqlite: Sqlite, path: string, wal: boolean): Database | string {
  const database = sqlite.open(path);
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const found = Object.values(database.prepare("pragma quick_check(1)").get() ?? {})[0];
    if (found !== "ok") {
      database.close();
      return String(found).slice(0, 200);
    }
    configure(database, path, wal);
    migrate(database, path);
    return compiledOnce(database);
  } catch (error) {
    database.close();
    const message = String((error as Error).message).slice(0, 200);
    if (/malformed|not a database/i.test(message)) return message;
    if (error instanceof JournalError) throw error;
    throw new JournalError("unwritable", `the journal ${path} cannot be opened: ${message}`, error);
  }
}

/**
 * FULL, because a host forgets acknowledged signals: they must survive a power cut too. Group commit makes that one
 * fsync per window. `auto_vacuum` only takes effect before the first table exists.
 */
function configure(database: Database, path: string, wal: boolean): void {
  const wanted = wal ? "wal" : "delete";
  database.exec("pragma auto_vacuum = incremental");
  const mode = Object.values(database.prepare(`pragma journal_mode = ${wanted}`).get() ?? {})[0];
  if (mode !== wanted)
    throw new JournalError("unwritable", `the journal ${path} stays in mode ${mode}; ${wanted} was requested`);
  database.exec(
    `pragma synchronous = full; pragma journal_size_limit = ${WAL_BYTES}; pragma foreign_keys = on; pragma trusted_schema = off`,
  );
}

/** The log beside a database belongs to it: together they may be repaired later. */
function setAside(path: string, now: number): string {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  let aside = `${path}.bad-${time}`;
  for (let again = 2; existsSync(aside); again++) aside = `${path}.bad-${time}-${again}`;
  renameSync(path, aside);
  for (const suffix of ["-wal", "-shm", "-journal"])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}
