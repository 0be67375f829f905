/**
 * Keeps the state of a workspace as a commit on a ref of its own, `refs/rouse/TASK/MILLISECONDS`: all files that are not ignored, as
 * they are on disk. Branch, index and files stay unchanged. `git fast-import` writes it: it needs no index and runs no filter
 * and no hook. Plain `git push` never sends these refs.
 */
import { createHash } from "node:crypto";
import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import { sanitize } from "../core/text/sanitize.js";
import { openInside } from "../sensors/transcript/safe-open.js";
import { git, openRepository, type Repository, readTree, type TreeEntry } from "./repository.js";

export interface KeptState {
  ref: string;
  commit: string;
  at: number;
}

export interface KeepOptions {
  folder: string;
  task: number;
  /** Why it is kept, such as "tests passed". */
  reason: string;
  now: number;
  bytesMax?: number;
}

/** Of all files that differ from the commit. */
const BYTES_MAX = 50 * 1024 * 1024;
/** Of all files: unchanged ones are read too. */
const READ_MAX = 1024 * 1024 * 1024;
const FILES_MAX = 100_000;
/** The oldest ones of a task are removed. */
const KEPT_PER_TASK = 50;
const DELETED = null;

const refsOf = (task: number): string => `refs/rouse/${task}/`;

/** The kept state, null if nothing changed since the last one, or why it was not kept. Never throws. */
export async function keepState(options: KeepOptions): Promise<KeptState | null | string> {
  try {
    const repository = await openRepository(options.folder);
    return typeof repository === "string" ? repository : await keepIn(repository, options);
  } catch (error) {
    return (error as Error).message;
  }
}

async function keepIn(repository: Repository, { task, reason, now, bytesMax = BYTES_MAX }: KeepOptions) {
  const { top, head } = repository;
  const tree = await readTree(top, head);
  const listed = await git(top, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  if (tree === null || listed === null) return `git cannot list the files of ${top}`;
  const paths = new Set(listed.toString().split("\0").slice(0, -1));
  if (paths.size > FILES_MAX) return `${top} has more than ${FILES_MAX} files`;
  const changes = await changesOf(top, tree, paths, bytesMax);
  if (changes === null)
    return `the changed files of ${top} have more than ${Math.floor(bytesMax / 1024 / 1024)} MB, or all files more than 1 GB`;
  const ref = `${refsOf(task)}${now}`;
  const before = await keptStates(top, task);
  const stream = streamOf(ref, head, `rouse: task ${task}, ${reason}`, now, changes);
  if ((await git(top, ["fast-import", "--quiet", "--done"], stream)) === null)
    return `git cannot store files in ${top}`;
  const commit = (await git(top, ["rev-parse", ref]))?.toString().trim() ?? "";
  const last = before.at(-1);
  if (last !== undefined && (await isSameState(top, last.commit, commit))) {
    await git(top, ["update-ref", "-d", ref]);
    return null;
  }
  for (const { ref: old } of before.slice(0, Math.max(0, before.length + 1 - KEPT_PER_TASK)))
    await git(top, ["update-ref", "-d", old]);
  return { ref, commit, at: now };
}

async function isSameState(top: string, one: string, other: string): Promise<boolean> {
  const asked = [one, other].flatMap((commit) => [`${commit}^{tree}`, `${commit}^`]);
  const [tree, parent, otherTree, otherParent] =
    (await git(top, ["rev-parse", ...asked]))?.toString().split("\n") ?? [];
  return tree !== undefined && tree === otherTree && parent === otherParent;
}

/** Oldest first. */
export async function keptStates(top: string, task: number): Promise<KeptState[]> {
  const text = (await git(top, ["for-each-ref", "--format=%(refname) %(objectname)", refsOf(task)]))?.toString() ?? "";
  const states = text.split("\n").flatMap((line): KeptState[] => {
    const [, ref, at, commit] = /^(refs\/rouse\/\d+\/(\d{1,16})) ([0-9a-f]+)$/.exec(line) ?? [];
    return ref && at && commit ? [{ ref, commit, at: Number(at) }] : [];
  });
  return states.sort((a, b) => a.at - b.at);
}

/** Removes what was kept for a task. */
export async function forgetStates(folder: string, task: number): Promise<void> {
  const repository = await openRepository(folder);
  if (typeof repository === "string") return;
  for (const { ref } of await keptStates(repository.top, task)) await git(repository.top, ["update-ref", "-d", ref]);
}

type Change = { mode: string; content: Buffer } | typeof DELETED;

/** Null: too much. */
async function changesOf(
  top: string,
  tree: ReadonlyMap<string, TreeEntry>,
  paths: ReadonlySet<string>,
  bytesMax: number,
): Promise<Map<string, Change> | null> {
  const changes = new Map<string, Change>();
  let bytes = 0;
  let read = 0;
  for (const [path, { mode }] of tree) if (!paths.has(path) && mode !== SUBMODULE) changes.set(path, DELETED);
  for (const path of paths) {
    const known = tree.get(path);
    if (known?.mode === SUBMODULE || path.includes("\ufffd")) continue;
    const file = await readFile(top, path, known, bytesMax - bytes);
    if (file === "too much") return null;
    if (file === "missing" && known) changes.set(path, DELETED);
    if (typeof file === "string") continue;
    read += file.content.length;
    if (read > READ_MAX) return null;
    if (known?.mode === file.mode && known.id === blobId(file.content, known.id.length)) continue;
    bytes += file.content.length;
    if (bytes > bytesMax) return null;
    changes.set(path, file);
  }
  return changes;
}

const SUBMODULE = "160000";
const LINK = "120000";

/** Links are kept as links; what else is no regular file inside the repository is left as it was committed. */
async function readFile(
  top: string,
  path: string,
  known: TreeEntry | undefined,
  bytesMax: number,
): Promise<{ mode: string; content: Buffer } | "missing" | "left out" | "too much"> {
  const full = join(top, path);
  const found = await lstat(full).catch(() => null);
  if (found === null || found.isDirectory()) return "missing";
  if (found.isSymbolicLink()) return { mode: LINK, content: Buffer.from(await readlink(full)) };
  // A committed file that is as large as before may be unchanged, and then costs nothing.
  if (found.size > bytesMax && known?.size !== found.size) return "too much";
  const opened = await openInside(full, top);
  if (!opened.ok) return opened.reason === "missing" ? "missing" : "left out";
  try {
    return { mode: opened.stats.mode & 0o100 ? "100755" : "100644", content: await opened.handle.readFile() };
  } finally {
    await opened.handle.close().catch(() => {});
  }
}

/** As git names a file with this content. */
const blobId = (content: Buffer, length: number): string =>
  createHash(length === 40 ? "sha1" : "sha256")
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest("hex");

function streamOf(
  ref: string,
  head: string,
  message: string,
  now: number,
  changes: ReadonlyMap<string, Change>,
): Buffer {
  const text = Buffer.from(sanitize(message, 200));
  const parts: (string | Buffer)[] = [
    `feature done\ncommit ${ref}\ncommitter rouse <rouse@localhost> ${Math.floor(now / 1000)} +0000\n`,
    `data ${text.length}\n`,
    text,
    `\nfrom ${head}\n`,
  ];
  const sorted = [...changes].sort(([, a], [, b]) => Number(a !== DELETED) - Number(b !== DELETED));
  for (const [path, change] of sorted) {
    const quoted = `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
    if (change === DELETED) parts.push(`D ${quoted}\n`);
    else parts.push(`M ${change.mode} inline ${quoted}\ndata ${change.content.length}\n`, change.content, "\n");
  }
  parts.push("done\n");
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}
