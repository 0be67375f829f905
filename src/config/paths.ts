/**
 * The places of rouse's files: the folders of the XDG base directories, or all of them below `ROUSE_HOME`.
 *
 * The path of a unix socket may have 104 bytes on macOS and 108 on Linux; the system cuts or refuses a longer one. So
 * long names are hashed, and a runtime folder with too long a path moves to a short one in /tmp.
 */
import { createHash } from "node:crypto";
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

export interface RousePaths {
  /** Folder of `config.toml`, and of the folders `policies` and `profiles`. */
  config: string;
  /** Folder of files that must survive a restart. */
  state: string;
  /** Folder of sockets and locks. */
  runtime: string;
  journal: string;
  daemonLog: string;
  /** Of the processes that hold agents' terminals. */
  hostLog: string;
  daemonSocket: string;
  /** The key that programs send to post to the daemon's port. */
  hookKey: string;
  /** The tokens of other clients, and their rights. */
  tokens: string;
  hostSocket(session: string): string;
  /** Folder with one folder per session of a host process: its log and its record. */
  sessions: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const SOCKET_PATH_BYTES = 100;
/** Large enough for the record of an agent. */
const PROBE_BYTES = 4096;
const HASHED_SOCKET = "x-0123456789abcdef.sock";

export function rousePaths(env: Env = process.env): RousePaths {
  const folders = foldersOf(env);
  const room = SOCKET_PATH_BYTES - HASHED_SOCKET.length - 1;
  const runtime =
    Buffer.byteLength(folders.runtime) <= room
      ? folders.runtime
      : `/tmp/rouse-${process.getuid?.() ?? 0}-${hash(folders.runtime)}`;
  return {
    config: folders.config,
    state: folders.state,
    runtime,
    journal: join(folders.state, "journal.db"),
    daemonLog: join(folders.state, "daemon.log"),
    hostLog: join(folders.state, "host.log"),
    daemonSocket: join(runtime, "daemon.sock"),
    hookKey: join(folders.state, "hook.key"),
    tokens: join(folders.state, "tokens.json"),
    hostSocket: (session) => hostSocket(runtime, session),
    sessions: join(folders.state, "sessions"),
  };
}

/**
 * Creates a folder and its parents. Node.js's own way (20.20, `recursive`) never returns if the system reports a
 * missing path although the parent exists, as below /proc and in folders that are mounted on demand.
 */
export function makeFolder(path: string, mode = 0o700): void {
  const above = dirname(path);
  if (!existsSync(above)) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Creates a folder that only this user may enter. A folder of another user or a link in its place is refused, since its
 * owner could read the sockets and the journal.
 */
export function makePrivateFolder(path: string): void {
  makeFolder(path);
  const found = lstatSync(path);
  if (!found.isDirectory()) throw new Error(`${path} is not a folder, but rouse keeps its files there; move it away`);
  if (process.getuid && found.uid !== process.getuid())
    throw new Error(
      `${path} belongs to another user (uid ${found.uid}): remove it, or set ROUSE_HOME to a folder of yours`,
    );
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** Why nothing can be stored in rouse's folders, and what to do about it; null if it can. */
export function checkFolders({ sessions, runtime, state }: RousePaths): string | null {
  for (const folder of [sessions, runtime]) {
    try {
      makePrivateFolder(folder);
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      return `${(error as Error).message}. rouse keeps its files in ${folder === runtime ? runtime : state}; make that folder writable, or set ROUSE_HOME to another one`;
    }
  }
  return null;
}

/** Why a file cannot be written there, such as a full disk; null if it can. */
export function checkWritable({ sessions }: RousePaths): string | null {
  const probe = join(sessions, `.${process.pid}.probe`);
  try {
    makePrivateFolder(sessions);
    try {
      writeFileSync(probe, " ".repeat(PROBE_BYTES), { mode: 0o600 });
    } finally {
      rmSync(probe, { force: true });
    }
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function foldersOf(env: Env): { config: string; state: string; runtime: string } {
  const own = absolute(env.ROUSE_HOME);
  if (own) return { config: join(own, "config"), state: join(own, "state"), runtime: join(own, "run") };
  const home = absolute(env.HOME) ?? homedir();
  const config = join(absolute(env.XDG_CONFIG_HOME) ?? join(home, ".config"), "rouse");
  const state = join(absolute(env.XDG_STATE_HOME) ?? join(home, ".local", "state"), "rouse");
  const given = absolute(env.XDG_RUNTIME_DIR);
  return { config, state, runtime: given ? join(given, "rouse") : join(state, "run") };
}

/** Why `ROUSE_HOME` cannot be used; null if it can, or is not set. Unlike XDG's variables, it is meant for rouse alone. */
export function checkHome({ ROUSE_HOME: given }: Env = process.env): string | null {
  if (!given || isAbsolute(given)) return null;
  return `ROUSE_HOME must be an absolute path, found ${JSON.stringify(given.slice(0, 200))}; a relative path would differ per working directory`;
}

/** By the XDG specification relative paths are ignored: they would mean another folder in every working directory. */
function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}

/** The two prefixes distinguish a session that is named like the hash of another one. */
function hostSocket(runtime: string, session: string): string {
  const path = join(runtime, `h-${session}.sock`);
  const fits = /^[A-Za-z0-9_-]{1,64}$/.test(session) && Buffer.byteLength(path) <= SOCKET_PATH_BYTES;
  return fits ? path : join(runtime, `x-${hash(session)}.sock`);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
