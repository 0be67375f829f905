/**
 * Git commands that write to a repository which an agent controls. Nothing that the repository configures is run: no hooks, no
 * file system monitor, no filters (no command here compares, adds or checks out files), no remote. The folder of the files is
 * the one that holds `.git`, whatever `core.worktree` says.
 */
import { execFile } from "node:child_process";
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { environment, SAFE } from "../sensors/workspace/git.js";

const TIMEOUT_MS = 60_000;
const OUTPUT_MAX = 128 * 1024 * 1024;
const ID = /^[0-9a-f]{40,64}$/;

export interface Repository {
  /** The folder that holds `.git`. */
  top: string;
  head: string;
}

/** The repository of a folder, or why rouse does not write to it. */
export async function openRepository(folder: string): Promise<Repository | string> {
  const top = topOf(folder);
  if (top === null) return `${folder} is in no git repository`;
  const head = (await git(top, ["rev-parse", "--verify", "--quiet", "HEAD"]))?.toString().trim() ?? "";
  if (!ID.test(head)) return `the repository ${top} has no commit yet, or git cannot read it`;
  const common = (await git(top, ["rev-parse", "--git-common-dir"]))?.toString().trim() ?? "";
  const linked = ["refs", "refs/rouse", "objects"].find((name) => isLink(join(resolve(top, common), name)));
  return linked === undefined ? { top, head } : `${linked} of the repository ${top} is a link`;
}

function topOf(folder: string): string | null {
  let at: string;
  try {
    at = realpathSync(folder);
  } catch {
    return null;
  }
  for (;;) {
    const found = lstatSync(join(at, ".git"), { throwIfNoEntry: false });
    if (found && !found.isSymbolicLink()) return at;
    if (dirname(at) === at) return null;
    at = dirname(at);
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Null if git is missing, refuses, answers too much or takes too long. */
export function git(top: string, args: readonly string[], input?: Buffer): Promise<Buffer | null> {
  const options = {
    encoding: "buffer",
    timeout: TIMEOUT_MS,
    maxBuffer: OUTPUT_MAX,
    killSignal: "SIGKILL",
    env: environment(),
  } as const;
  return new Promise((done) => {
    const place = ["-C", top, `--git-dir=${join(top, ".git")}`, `--work-tree=${top}`];
    const child = execFile("git", [...SAFE, ...place, ...args], options, (error, stdout) =>
      done(error ? null : stdout),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

export interface TreeEntry {
  mode: string;
  id: string;
  size: number;
}

/** The files of a commit by path. */
export async function readTree(top: string, commit: string): Promise<Map<string, TreeEntry> | null> {
  const text = (await git(top, ["ls-tree", "-r", "-l", "-z", "--full-tree", commit]))?.toString();
  if (text === undefined) return null;
  const entries = text.split("\0").flatMap((line): [string, TreeEntry][] => {
    const [, mode, id, size, path] = /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    return mode && id && path ? [[path, { mode, id, size: Number(size) || 0 }]] : [];
  });
  return new Map(entries);
}
