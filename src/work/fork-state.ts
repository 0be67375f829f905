/**
 * Puts a kept state into a worktree and branch of its own. The branch starts at the commit on which the state was based, and the
 * rest are uncommitted changes, as they were. The files are written by rouse: a checkout would run the filters of the repository.
 */
import { existsSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type KeptState, keptStates } from "./keep-state.js";
import { git, openRepository, readTree, type TreeEntry } from "./repository.js";

export interface Fork {
  folder: string;
  branch: string;
  state: KeptState;
}

/** Of one call of git. */
const BATCH_BYTES = 32 * 1024 * 1024;
const BATCH_FILES = 500;
const TRIES = 100;

/** The newest state that was kept until `at`; or what to tell the user. */
export async function forkState(folder: string, task: number, at: number): Promise<Fork | string> {
  const repository = await openRepository(folder);
  if (typeof repository === "string") return repository;
  const { top } = repository;
  const kept = await keptStates(top, task);
  const state = kept.filter((one) => one.at <= at).at(-1);
  if (state === undefined)
    return kept.length === 0
      ? `no state of task ${task} was kept in ${top}; rouse keeps one when its tests pass`
      : `the first state of task ${task} was kept at ${new Date(kept[0]?.at ?? 0).toISOString()}, after this checkpoint`;
  const tree = await readTree(top, state.commit);
  if (tree === null || [...tree.keys()].some((path) => !isSafe(path))) return `the kept state ${state.ref} is damaged`;
  const names = await freeNames(top, task);
  if (names === null) return `no free name beside ${top}; remove old attempts`;
  const { folder: target, branch } = names;
  const added = await git(top, [
    "worktree",
    "add",
    "--no-checkout",
    "--quiet",
    "-b",
    branch,
    target,
    `${state.commit}^`,
  ]);
  if (added === null) return `git cannot add the worktree ${target}`;
  try {
    await writeTree(top, target, tree);
    if ((await git(target, ["read-tree", "HEAD"])) === null) throw new Error(`git cannot read the index of ${target}`);
    return { folder: target, branch, state };
  } catch (error) {
    await removeFork(top, target, branch);
    return (error as Error).message;
  }
}

/** `top`: the repository, or a folder in it. */
export async function removeFork(top: string, folder: string, branch: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const repository = await openRepository(top);
  if (typeof repository === "string") return;
  await git(repository.top, ["worktree", "prune"]);
  await git(repository.top, ["update-ref", "-d", `refs/heads/${branch}`]);
}

async function freeNames(top: string, task: number): Promise<{ folder: string; branch: string } | null> {
  for (let n = 1; n <= TRIES; n++) {
    const folder = join(dirname(top), `${basename(top)}-task-${task}-${n}`);
    const branch = `rouse/task-${task}-${n}`;
    const isTaken = await git(top, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
    if (!existsSync(folder) && isTaken === null) return { folder, branch };
  }
  return null;
}

/** Git checks this too, but an agent can write objects without git. */
const isSafe = (path: string): boolean =>
  path.split("/").every((part) => !["", ".", ".."].includes(part) && !/^\.git[\s.]*$|^git~\d+$/i.test(part));

const LINK = "120000";
const SUBMODULE = "160000";

/** Into a new folder, links last: no file can be written through a link. */
async function writeTree(top: string, target: string, tree: ReadonlyMap<string, TreeEntry>): Promise<void> {
  const order = [...tree].sort(([, a], [, b]) => Number(a.mode === LINK) - Number(b.mode === LINK));
  const files = order.filter(([, { mode }]) => mode !== SUBMODULE);
  for (const [path] of order.filter(([, { mode }]) => mode === SUBMODULE))
    await mkdir(join(target, path), { recursive: true });
  while (files.length > 0) {
    const batch = nextBatch(files);
    const contents = await readBlobs(
      top,
      batch.map(([, { id }]) => id),
    );
    for (const [n, [path, { mode }]] of batch.entries()) {
      const content = contents[n];
      if (content === undefined) throw new Error(`git has no content of ${path}`);
      const full = join(target, path);
      await mkdir(dirname(full), { recursive: true });
      if (mode === LINK) await symlink(content.toString(), full);
      else await writeFile(full, content, { flag: "wx", mode: mode === "100755" ? 0o755 : 0o644 });
    }
  }
}

/** Removes at least one file from the list. */
function nextBatch(files: [string, TreeEntry][]): [string, TreeEntry][] {
  let bytes = 0;
  const rest = files.findIndex(([, { size }], n) => {
    bytes += size;
    return n > 0 && (n >= BATCH_FILES || bytes > BATCH_BYTES);
  });
  return files.splice(0, rest < 0 ? files.length : rest);
}

async function readBlobs(top: string, ids: readonly string[]): Promise<Buffer[]> {
  const answer = await git(top, ["cat-file", "--batch"], Buffer.from(ids.map((id) => `${id}\n`).join("")));
  const found: Buffer[] = [];
  for (let at = 0; answer !== null && at < answer.length; ) {
    const end = answer.indexOf("\n", at);
    const size = Number(/ blob (\d+)$/.exec(answer.toString("latin1", at, end))?.[1] ?? Number.NaN);
    if (!Number.isSafeInteger(size)) break;
    found.push(answer.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return found;
}
