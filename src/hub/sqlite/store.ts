/**
 * The hub of one machine: `hub.db`, with `progress.db` beside it. Several processes may open them; each write is one immediate
 * transaction, so they take turns.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makePrivateFolder } from "../../config/paths.js";
import { networkFileSystem } from "../../store/file-system.js";
import { type CompiledDatabase, type Database, inTransaction, loadSqlite, type Sqlite } from "../../store/sqlite.js";
import { HubError } from "../hub-error.js";
import type { Arguments, HubStore, Refused, StoreOperation } from "../store.js";
import * as claims from "./claims.js";
import { HubFile } from "./hub-file.js";
import * as others from "./others.js";
import { collectProgress, mirrorProgress } from "./progress.js";
import { ProgressFile } from "./progress-file.js";
import { all, type Context, run } from "./rows.js";
import { migrateHub } from "./schema.js";
import * as tasks from "./tasks.js";

export interface SqliteHubOptions {
  /** Path of `hub.db`; `progress.db` is beside it. */
  path: string;
  node: string;
  now?: () => number;
  allowNetworkFileSystem?: boolean;
  log?: ((line: string) => void) | undefined;
}

/** Longest wait for another process that writes. */
const BUSY_TIMEOUT_MS = 10_000;

type Run = (context: Context, values: Arguments, file: ProgressFile) => unknown;

const READS: Partial<Record<StoreOperation, Run>> = {
  clock_ms: ({ now }) => now,
  task_get: tasks.getTask,
  task_list: tasks.listTasks,
  task_counts: tasks.countTasks,
  task_next: tasks.nextTask,
  lock_list: others.listLocks,
  progress_list: others.listProgress,
  event_list: others.listEvents,
  message_read: others.readMessages,
};

const WRITES: Partial<Record<StoreOperation, Run>> = {
  join_node: others.joinNode,
  task_add: tasks.addTask,
  task_edit: tasks.editTask,
  task_comment: tasks.commentTask,
  task_transition: tasks.transitionTask,
  claim_next: (context, values) => {
    const task = tasks.nextTask(context, values);
    return task && claims.claimTask(context, { ...values, task: task.id });
  },
  claim_task: claims.claimTask,
  claim_renew: claims.renewClaims,
  claim_checkpoint: claims.addCheckpoint,
  claim_finish: claims.finishClaim,
  claim_release: claims.releaseClaim,
  claim_take_over: claims.takeOver,
  claim_expire: claims.expireClaims,
  lock_take: others.takeLock,
  lock_release: others.releaseLock,
  progress_collect: (context, _values, file) => collectProgress(context, file),
  prune: (context, values) => others.prune(context, values),
  message_send: others.sendMessage,
  message_ack: others.ackMessages,
};

export class SqliteStore implements HubStore {
  readonly engine = "sqlite";
  readonly #database: CompiledDatabase;
  readonly #hubFile: HubFile;
  readonly #file: ProgressFile;
  readonly #node: string;
  readonly #now: () => number;
  #isClosed = false;

  constructor(hubFile: HubFile, sqlite: Sqlite, { path, node, now = Date.now }: SqliteHubOptions) {
    this.#database = hubFile.database;
    this.#hubFile = hubFile;
    this.#node = node;
    this.#now = now;
    this.#file = new ProgressFile(sqlite, join(dirname(path), "progress.db"), () => this.#copyAll());
  }

  async call(operation: StoreOperation, values: Arguments): Promise<unknown> {
    if (this.#isClosed) throw new HubError("closed", "the hub is closed");
    translated(() => this.#hubFile.check());
    const context: Context = { database: this.#database, node: this.#node, now: this.#now() };
    const read = READS[operation];
    if (read) return translated(() => read(context, values, this.#file));
    const write = WRITES[operation];
    if (!write) throw new HubError("invalid", `the hub has no operation ${operation}`);
    const answer = translated(() => inTransaction(this.#database, () => write(context, values, this.#file)));
    this.#mirror(context, operation);
    return answer;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
    this.#database.close();
  }

  /** The truth is in `hub.db`; a copy that fails is made by the next call. */
  #mirror(context: Context, operation: StoreOperation): void {
    try {
      if (operation === "progress_collect")
        this.#file.removeReports(Number(all(context, "select seq from collected")[0]?.seq));
      if (operation === "prune") this.#file.keepOnly(all(context, "select id from tasks").map(({ id }) => Number(id)));
      mirrorProgress(context, this.#file);
    } catch (error) {
      if (operation === "progress_collect")
        throw new HubError("storage", `agents cannot report by SQL: ${String((error as Error).message)}`, {
          cause: error,
        });
    }
  }

  #copyAll(): number {
    const context: Context = { database: this.#database, node: this.#node, now: this.#now() };
    run(context, "update progress set mirrored = 0 where task in (select id from tasks where status = 'in_progress')");
    return Number(all(context, "select seq from collected")[0]?.seq);
  }
}

/** Waits while another process creates or migrates the file. */
export async function openSqliteStore(options: SqliteHubOptions): Promise<SqliteStore> {
  const sqlite = loadSqlite();
  const { path } = options;
  const folder = dirname(path);
  prepareFile(path, folder);
  const network = networkFileSystem(folder);
  if (network && !options.allowNetworkFileSystem)
    throw new HubError(
      "storage",
      `the hub ${path} would be on a network file system (${network}), and SQLite loses data there: set XDG_STATE_HOME or ` +
        "ROUSE_HOME to a folder on a local disk, or use PostgreSQL ([hub] url)",
    );
  const isWal = !network;
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      const connect = (): Database => connectTo(sqlite, path, isWal);
      return new SqliteStore(new HubFile({ path, isWal, connect, log: options.log }), sqlite, options);
    } catch (error) {
      // Several processes that change the journal mode at once do not wait for each other.
      if (!isBusy(error) || performance.now() > deadline) throw asHubError(error, path);
      await delay(20 + Math.random() * 30);
    }
  }
}

function connectTo(sqlite: Sqlite, path: string, isWal: boolean): Database {
  const database = sqlite.open(path);
  try {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma foreign_keys = on; pragma trusted_schema = off`);
    if (isWal) database.exec("pragma journal_mode = wal");
    database.exec("pragma synchronous = full");
    migrateHub(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const isBusy = (error: unknown): boolean => /\block(?:ed)?\b|busy/i.test(String((error as Error).message));

function translated<T>(work: () => T | Refused): T | Refused {
  try {
    return work();
  } catch (error) {
    throw asHubError(error, "hub.db");
  }
}

function asHubError(error: unknown, path: string): HubError {
  if (error instanceof HubError) return error;
  const message = String((error as Error).message).slice(0, 300);
  if (isBusy(error))
    return new HubError(
      "busy",
      `${path} is locked by another process for more than ${BUSY_TIMEOUT_MS / 1000} s: try again`,
      {
        cause: error,
      },
    );
  if (/not a database|malformed/i.test(message))
    return new HubError(
      "storage",
      `${path} is damaged (${message}): move it away; rouse then starts with an empty one`,
      {
        cause: error,
      },
    );
  return new HubError("storage", `${path} cannot be used: ${message}`, { cause: error });
}

/** Created private; a link in its place is refused. */
function prepareFile(path: string, folder: string): void {
  try {
    makePrivateFolder(folder);
    const file = openSync(
      path,
      constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      0o600,
    );
    const isFile = fstatSync(file).isFile();
    if (isFile) fchmodSync(file, 0o600);
    closeSync(file);
    if (!isFile) throw new Error(`${path} is not a regular file; move it away`);
  } catch (error) {
    throw new HubError("storage", `the hub cannot be opened: ${(error as Error).message}`, { cause: error });
  }
}
