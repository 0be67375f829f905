/**
 * Opens the journal's file: private, on a local disk, locked for one writer, checked, and set aside if it is damaged.
 * While it is open, it notices if another program deletes, replaces or changes it. Nothing is ever deleted here.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  renameSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder } from "../config/paths.js";
import { networkFileSystem } from "./file-system.js";
import { JournalError } from "./journal-error.js";
import { type Release, takeLock } from "./lock.js";
import { migrate, readPragma, restoreTables } from "./migrations.js";
import { type FileFinding, PageSums } from "./page-sums.js";
import { newestBatch, salvage } from "./salvage.js";
import { CompiledDatabase, type Database, loadSqlite, type Sqlite } from "./sqlite.js";

export interface JournalFileOptions {
  /** Use the file although its file system is shared with other machines; WAL is then not used. */
  allowNetworkFileSystem?: boolean;
  /** For the name of a file that is set aside, and for the last contact of a session. */
  now?: () => number;
  /** In place of /proc/self/mountinfo. */
  mounts?: string;
}

/** Longest wait for a busy database: only a reader such as a backup can hold it, for a moment. */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * The write-ahead log is truncated to this size after a checkpoint, so that a burst does not occupy the disk forever.
 */
const WAL_BYTES = 16 * 1024 * 1024;
/** Pages that are compared with their checksums at each call: 8 MB, about 4 ms. */
const PAGES_AT_ONCE = 2000;

interface Opened {
  database: Database;
  /** Null without WAL: then every commit changes the file. */
  sums: PageSums | null;
}

export class JournalFile {
  readonly database: CompiledDatabase;
  readonly engine: Sqlite["engine"];
  /** For the user: what was found at the start. */
  readonly notes: string[] = [];
  readonly #sqlite: Sqlite;
  readonly #path: string;
  readonly #isWal: boolean;
  readonly #now: () => number;
  readonly #release: Release;
  #sums: PageSums | null;
  /** The file as this process left it; null while a checkpoint is incomplete. */
  #known: BigIntStats | null = null;
  #changesMoved = -1;
  /** Another program changed or removed something, so signals may be missing. */
  isDamaged = false;

  constructor(sqlite: Sqlite, path: string, isWal: boolean, now: () => number, release: Release) {
    this.#sqlite = sqlite;
    this.engine = sqlite.engine;
    this.#path = path;
    this.#isWal = isWal;
    this.#now = now;
    this.#release = release;
    const { database, sums } = this.#openChecked();
    this.database = new CompiledDatabase(database);
    this.#sums = sums;
    this.checkpoint();
  }

  /** Moves the write-ahead log into the file. An error is not one of the journal: the log stays. */
  checkpoint(how: "passive" | "truncate" = "passive"): void {
    try {
      const changes = Number(this.database.prepare("select total_changes() as n").get()?.n);
      if (this.#known && changes === this.#changesMoved && how === "passive") return;
      const { busy, log, checkpointed } = this.database.prepare("pragma wal_checkpoint(passive)").get() ?? {};
      const isComplete = busy === 0 && log === checkpointed;
      if (isComplete) this.#sums?.take(Math.max(0, Number(log)));
      this.#known = isComplete ? statSync(this.#path, { bigint: true }) : null;
      this.#changesMoved = changes;
      if (how === "truncate" && isComplete) this.database.exec("pragma wal_checkpoint(truncate)");
    } catch {
      // A full disk.
      this.#known = null;
    }
  }

  /** The number of the last committed batch, to notice a log that was removed. */
  mark(batch: number): void {
    this.#sums?.mark(batch);
  }

  /** What another program did to the file since the last call; null if nothing. Checks some pages each time. */
  checkIntact(): string | null {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (!found) return "The journal was deleted while the daemon ran";
    if (this.#isWal && !existsSync(`${this.#path}-wal`))
      return "The journal's write-ahead log was deleted while the daemon ran";
    const known = this.#known;
    if (!known) return null;
    if (found.ino !== known.ino || found.dev !== known.dev) return "The journal was replaced while the daemon ran";
    if (!this.#sums) return null;
    if (found.size < known.size) return "The journal was cut off while the daemon ran";
    if (found.mtimeNs !== known.mtimeNs || found.size !== known.size)
      return "The journal was changed by another program while the daemon ran";
    const wrong = this.#sums.checkSome(PAGES_AT_ONCE);
    return wrong === 0 ? null : `${pagesText(wrong)} of the journal changed on the disk`;
  }

  /** Continues in a new file with everything that can be read of the old one, except signals. */
  renew(): void {
    setAside(this.#path, this.#now());
    prepareFile(this.#path);
    const { database, sums } = this.#openFresh();
    const before = this.database.replace(database);
    this.#sums?.close();
    this.#sums = sums;
    this.#known = null;
    salvage(before, this.database);
    before.close();
    this.checkpoint();
  }

  close(): void {
    this.checkpoint("truncate");
    this.database.close();
    this.#sums?.close();
    this.#release();
  }

  #openChecked(): Opened {
    const sums = this.#isWal ? new PageSums(this.#path) : null;
    const finding = sums?.check() ?? { kind: "unverified" };
    let opened = openOnce(this.#sqlite, this.#path, this.#isWal, finding);
    if (typeof opened !== "string") opened = this.#withTables(opened);
    if (typeof opened !== "string") {
      const found = noteOn(finding, sums?.lastBatch ?? null, opened);
      if (found !== null) this.#report(found);
      if (sums && finding.kind !== "intact") rebuild(opened, sums);
      return { database: opened, sums };
    }
    sums?.close();
    const aside = setAside(this.#path, this.#now());
    this.#report(`The journal was damaged (${opened}). It was kept as ${aside}, and a new one was created.`);
    prepareFile(this.#path);
    const fresh = this.#openFresh();
    const damaged = this.#sqlite.openReadOnly(aside);
    salvage(damaged, fresh.database);
    damaged.close();
    return fresh;
  }

  /** The database with all its tables, or a description of the damage. */
  #withTables(database: Database): Database | string {
    const reference = this.#sqlite.open(":memory:");
    const found = restoreTables(database, reference);
    reference.close();
    if ("column" in found) {
      database.close();
      return `the column ${found.column} is missing`;
    }
    if (found.created.length > 0)
      this.#report(`Tables of the journal were missing and were created again, empty: ${found.created.join(", ")}`);
    return database;
  }

  #report(damage: string): void {
    this.notes.push(damage);
    this.isDamaged = true;
  }

  #openFresh(): Opened {
    const fresh = openOnce(this.#sqlite, this.#path, this.#isWal, { kind: "new" });
    if (typeof fresh === "string") throw new JournalError("unwritable", `the new journal is damaged too: ${fresh}`);
    if (!this.#isWal) return { database: fresh, sums: null };
    const sums = new PageSums(this.#path);
    rebuild(fresh, sums);
    return { database: fresh, sums };
  }
}

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
    return new JournalFile(sqlite, path, network === null, options.now ?? Date.now, lock);
  } catch (error) {
    lock();
    throw error;
  }
}

/**
 * SQLite creates files by the user's umask; created here first, they are private, and a link in their place is refused.
 */
function prepareFile(path: string, before: () => void = () => {}): void {
  let isFile: boolean;
  try {
    before();
    // A pipe without a reader would block, and it is refused below.
    const file = openSync(
      path,
      constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      0o600,
    );
    isFile = fstatSync(file).isFile();
    if (isFile) fchmodSync(file, 0o600);
    closeSync(file);
  } catch (error) {
    throw new JournalError("unwritable", `the journal cannot be opened: ${(error as Error).message}`, error);
  }
  if (!isFile)
    throw new JournalError("unwritable", `the journal cannot be opened: ${path} is not a regular file; move it away`);
}

/** The open database, or a description of the damage. */
function openOnce(sqlite: Sqlite, path: string, wal: boolean, finding: FileFinding): Database | string {
  const database = sqlite.open(path);
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Pages that are as they were written need no other check.
    const found =
      finding.kind === "intact" ? "ok" : Object.values(database.prepare("pragma quick_check(1)").get() ?? {})[0];
    if (found !== "ok") {
      database.close();
      return String(found).slice(0, 200);
    }
    configure(database, path, wal);
    migrate(database, path);
    return database;
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
 * fsync per window. `auto_vacuum` only takes effect before the first table exists. SQLite makes no checkpoint by itself:
 * each has to be followed by its checksums. What is deleted may be a secret that an agent printed, so it is overwritten.
 */
function configure(database: Database, path: string, wal: boolean): void {
  const wanted = wal ? "wal" : "delete";
  database.exec("pragma auto_vacuum = incremental");
  const mode = Object.values(database.prepare(`pragma journal_mode = ${wanted}`).get() ?? {})[0];
  if (mode !== wanted)
    throw new JournalError("unwritable", `the journal ${path} stays in mode ${String(mode)}; ${wanted} was requested`);
  database.exec(
    `pragma synchronous = full; pragma journal_size_limit = ${WAL_BYTES}; pragma wal_autocheckpoint = 0;
     pragma foreign_keys = on; pragma trusted_schema = off; pragma secure_delete = on`,
  );
}

/** With an empty log, so that the file has everything. */
function rebuild(database: Database, sums: PageSums): void {
  database.exec("pragma wal_checkpoint(truncate)");
  sums.rebuild(readPragma(database, "page_size"));
}

function noteOn(finding: FileFinding, lastBatch: number | null, database: Database): string | null {
  if (finding.kind === "missing")
    return "The journal was deleted while no daemon was running. A new one was created; incidents, silences and messages are lost.";
  if (finding.kind === "changed")
    return `${pagesText(finding.pages)} of ${finding.of} of the journal changed while no daemon was running, or on the disk. What can still be read is used.`;
  const missing = (lastBatch ?? 0) - newestBatch(database);
  if (finding.kind === "intact" && missing > 0)
    return `The journal was rolled back while no daemon was running: its last ${missing} batches of signals are missing.`;
  return null;
}

const pagesText = (pages: number): string => `${pages} ${pages === 1 ? "page" : "pages"}`;

/** The log beside a database belongs to it: together they may be repaired later. */
function setAside(path: string, now: number): string {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  let aside = `${path}.bad-${time}`;
  for (let again = 2; existsSync(aside); again++) aside = `${path}.bad-${time}-${again}`;
  for (const suffix of ["", "-wal", "-shm", "-journal", "-sums"])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}
