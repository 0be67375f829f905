/**
 * Opens a file that an agent may have placed to mislead rouse: a link to a secret, a pipe that never ends, a device.
 *
 * `O_NOFOLLOW` protects only the last part of a path, and the target of a path can change at any moment. So the open
 * handle is checked: it must be a regular file of this user with a single name, inside the allowed folder.
 */
import { constants, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { sep } from "node:path";
import type { Refusal } from "../../programs/files.js";

export type OpenResult = { ok: true; handle: FileHandle; stats: Stats } | { ok: false; reason: Refusal };

/**
 * Without `O_NONBLOCK`, opening a pipe blocks until there is a writer. `O_NOATIME`, where it exists, keeps rouse's own
 * readings from looking like the agent's; only the owner of a file may use it, and other files are refused anyway.
 */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const UNSEEN_FLAGS = FLAGS | (constants.O_NOATIME ?? 0);

/** To pass, the name would have to disappear and return at exactly the right moment each time. */
const TIMES_ASKED = 3;

const REASONS: Readonly<Record<string, Refusal>> = {
  ENOENT: "missing",
  ENOTDIR: "missing",
  ELOOP: "link",
  ENXIO: "no file",
};

/** `root` must be a real path: see `realRoot`. */
export async function openInside(path: string, root: string): Promise<OpenResult> {
  let handle: FileHandle;
  try {
    // Some devices react to being opened, so a device is not opened, unless it is swapped in at this moment.
    const named = await lstat(path);
    if (named.isSymbolicLink()) return { ok: false, reason: "link" };
    if (!named.isFile()) return { ok: false, reason: "no file" };
    const isOwn = process.getuid?.() === named.uid;
    handle = await open(path, isOwn ? UNSEEN_FLAGS : FLAGS);
  } catch (error) {
    return { ok: false, reason: REASONS[(error as NodeJS.ErrnoException).code ?? ""] ?? "unreadable" };
  }
  const refusal = await refusalOf(handle, path, root).catch((): Refusal => "unreadable");
  if (typeof refusal !== "string") return { ok: true, handle, stats: refusal };
  await handle.close().catch(() => {});
  return { ok: false, reason: refusal };
}

async function refusalOf(handle: FileHandle, path: string, root: string): Promise<Refusal | Stats> {
  const stats = await handle.stat();
  if (!stats.isFile()) return "no file";
  if (process.getuid && stats.uid !== process.getuid()) return "not ours";
  const real = realPathOf(handle, path);
  if (!isInside(real, root)) return "outside";
  // One call for both facts: with two, a second name of a secret could be removed in between. The kernel itself
  // resolves the name first and counts the links later: in one of some 100,000 attempts a name was removed in between.
  for (let asked = 0; asked < TIMES_ASKED; asked++) {
    const named = lstatSync(real, { throwIfNoEntry: false });
    if (named?.dev !== stats.dev || named.ino !== stats.ino) return "missing";
    if (named.nlink > 1) return "several names";
  }
  return stats;
}

function isInside(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The real path of a folder that is trusted by its name; null if there is none. A link is followed here, once. */
export function realRoot(folder: string): string | null {
  try {
    return realpathSync(folder);
  } catch {
    return null;
  }
}

/**
 * Linux knows the path of an open file, and appends " (deleted)" if it was removed. Other systems resolve the path
 * again.
 */
function realPathOf(handle: FileHandle, path: string): string {
  return process.platform === "linux" ? readlinkSync(`/proc/self/fd/${handle.fd}`) : realpathSync(path);
}

/** The first bytes of such a file as text; null if it must not be read. */
export async function readHeadInside(path: string, root: string, maxBytes: number): Promise<string | null> {
  const opened = await openInside(path, root);
  if (!opened.ok) return null;
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes, opened.stats.size));
    const { bytesRead } = await opened.handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return null;
  } finally {
    await opened.handle.close().catch(() => {});
  }
}
