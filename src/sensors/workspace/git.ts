/**
 * Facts from git about a workspace, without taking a lock and without running anything that the repository configures.
 *
 * A repository can bring commands of its own: a file system monitor, hooks, filters that run when a file is compared, a
 * remote that is queried for missing objects. An agent in a sandbox can write all of these; run by rouse they would run
 * outside it. So they are switched off, and no command compares files with the index: `status` and `diff-files` run
 * filters for a file that was written in the same moment as the index, and filters cannot be switched off.
 */
import { execFile } from "node:child_process";
import { isAbsolute, resolve } from "node:path";

export interface Commit {
  id: string;
  /** When it was committed, in milliseconds. */
  at: number;
  author: string;
  subject: string;
}

export const SAFE: readonly string[] = [
  "--no-optional-locks",
  "--no-pager",
  "--literal-pathspecs",
  ...[
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
  ].flatMap((pair) => ["-c", pair]),
];
const TIMEOUT_MS = 10_000;
const OUTPUT_MAX = 4 * 1024 * 1024;
/** The same limit as in seed 004's detector. */
const COMMITS_MAX = 200;
const PATHS_MAX = 20_000;
const SUBJECT_MAX = 200;
const ID = /^[0-9a-f]{40,64}$/;

async function readHead(folder: string): Promise<string | null> {
  const id = (await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]))?.trim();
  return id && ID.test(id) ? id : null;
}

export interface Checkout {
  head: string;
  /** The branch with its full name; null if none is checked out. */
  ref: string | null;
  /** Git's folders for this checkout, and for all checkouts of the repository. */
  gitFolder: string;
  commonFolder: string;
}

/** Null outside a repository, and in one without a commit. */
export async function readCheckout(folder: string): Promise<Checkout | null> {
  // In the order of the arguments: the second HEAD as a name, the first not yet.
  const asked = ["--absolute-git-dir", "--git-common-dir", "HEAD", "--symbolic-full-name", "HEAD"];
  const answer = (await git(folder, ["rev-parse", ...asked, "--"]))?.split("\n");
  const [gitFolder = "", commonFolder = "", head = "", ref = ""] = answer ?? [];
  if (!ID.test(head) || !isAbsolute(gitFolder)) return null;
  return { head, ref: ref.startsWith("refs/") ? ref : null, gitFolder, commonFolder: resolve(folder, commonFolder) };
}

/** Commits in `HEAD` that were not there before, oldest first. */
export async function readCommits(folder: string, head: string, before: string | null): Promise<Commit[]> {
  const range = before === null ? [head] : [head, `^${before}`];
  const format = "--format=%H%x1f%ct%x1f%an <%ae>%x1f%s";
  const log = ["log", "-z", `--max-count=${COMMITS_MAX}`, "--no-show-signature", "--no-color", format, ...range, "--"];
  // A commit that no longer exists cannot be excluded from the log.
  const text =
    (await git(folder, log)) ?? (before === null ? "" : await git(folder, [...log.slice(0, -3), head, "--"])) ?? "";
  const commits = text.split("\0").flatMap((line): Commit[] => {
    const [id = "", seconds = "", author = "", subject = ""] = line.split("\x1f");
    const at = Number(seconds) * 1000;
    // A newly checked out branch brings old commits: they are not current work.
    return id !== "" && Number.isFinite(at) ? [{ id, at, author, subject: subject.slice(0, SUBJECT_MAX) }] : [];
  });
  return commits.reverse();
}

/** Commits in `HEAD` that were committed since then, oldest first. */
export async function readCommitsSince(folder: string, since: number): Promise<Commit[]> {
  return (await readCommits(folder, "HEAD", null)).filter(({ at }) => at >= since - (since % 1000));
}

/** The branch that `HEAD` is pushed to, and how many commits it lacks. Null without one. */
export async function readPushed(folder: string): Promise<{ upstream: string; ahead: number } | null> {
  const upstream = (await git(folder, ["rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}"]))?.trim();
  if (!upstream) return null;
  const ahead = Number((await git(folder, ["rev-list", "--count", "@{upstream}..HEAD", "--"]))?.trim());
  return Number.isFinite(ahead) ? { upstream, ahead } : null;
}

/** Adds a checkout on a new branch, beside the others. Returns git's error; null if it was added. */
export async function addWorktree(folder: string, path: string, branch: string): Promise<string | null> {
  const added = await git(folder, ["worktree", "add", "--quiet", "-b", branch, path]);
  return added === null ? `git could not add the worktree ${path} on the branch ${branch}` : null;
}

/** All files of the work: known to git, or new and not ignored. Null outside a repository. */
export async function readPaths(folder: string): Promise<string[] | null> {
  const text = await git(folder, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  // The last one may be truncated.
  return text === null ? null : [...new Set(text.split("\0").slice(0, -1))].slice(0, PATHS_MAX);
}

export interface GitState {
  head: string | null;
  /** Null if no branch is checked out. */
  branch: string | null;
  /** Paths in the index that differ from `HEAD`. */
  staged: string[];
  untracked: string[];
}

const STATE_PATHS_MAX = 500;

/** The state of the work, as far as git knows it without reading files. Null outside a repository. */
export async function readState(folder: string): Promise<GitState | null> {
  const head = await readHead(folder);
  const [branch, staged, untracked] = await Promise.all([
    git(folder, ["symbolic-ref", "--short", "--quiet", "HEAD"]),
    head === null ? "" : git(folder, ["diff-index", "--cached", "--name-only", "--no-ext-diff", "-z", "HEAD", "--"]),
    git(folder, ["ls-files", "-z", "--others", "--exclude-standard"]),
  ]);
  if (untracked === null) return null;
  const paths = (text: string | null): string[] => (text ?? "").split("\0").slice(0, -1).slice(0, STATE_PATHS_MAX);
  return { head, branch: branch?.trim() || null, staged: paths(staged), untracked: paths(untracked) };
}

/** Null if git is missing, refuses, or takes too long. */
function git(folder: string, args: readonly string[]): Promise<string | null> {
  const options = {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    maxBuffer: OUTPUT_MAX,
    killSignal: "SIGKILL",
    env: environment(),
  } as const;
  return new Promise((resolve) => {
    execFile("git", [...SAFE, "-C", folder, ...args], options, (error, stdout) => {
      const isCut = (error as NodeJS.ErrnoException | null)?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
      resolve(error && !isCut ? null : stdout);
    });
  });
}

export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
}
