/**
 * The commit and the files of one checkout, without asking git while nothing has changed: a process costs milliseconds,
 * and its start holds up the daemon.
 *
 * Git is asked again when the times of its own files, of an ignore file or of a folder of the work differ: git replaces
 * `HEAD`, branches and the index as whole files, and whatever is created or removed changes the time of its folder. What
 * these times cannot show (an ignore file outside the folder, a file system that keeps no times of folders) is found by
 * asking every few minutes all the same.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Checkout, readCheckout, readPaths } from "./git.js";
import { SKIPPED, statsOf } from "./glob.js";

export interface RepositoryState {
  head: string | null;
  /** All files that belong to the work; null outside a repository. */
  paths: readonly string[] | null;
  /** Whether git has listed them for this answer. */
  isListed: boolean;
}

const ASK_AGAIN_MS = 5 * 60_000;
/** Two changes within one tick of a file system's clock have the same time: what changed just now is asked for again. */
const SETTLED_MS = 2000;
/** With more folders than this, git is asked each time. */
const FOLDERS_MAX = 5000;
/** So many folders without a file of the work are watched for their first one. */
const EMPTY_MAX = 1000;
const SLICE = 500;

/** Identity and time of some files; -1 for what is not there. */
interface Stamp {
  numbers: number[];
  /** False where something changed just now. */
  isSettled: boolean;
}

/** What git answered, with the stamp of everything that it depends on, taken before it was asked. */
interface Answer<T> {
  value: T;
  stamp: Stamp | null;
  at: number;
}

export class Repository {
  readonly #root: string;
  readonly #now: () => number;
  #checkout: Answer<Checkout | null> | null = null;
  #paths: Answer<string[] | null> | null = null;
  /** What the list of files depends on. */
  #watched: readonly string[] | null = null;

  constructor(root: string, now: () => number = Date.now) {
    this.#root = root;
    this.#now = now;
  }

  async read(): Promise<RepositoryState> {
    if (!isInRepository(this.#root)) {
      this.#checkout = null;
      this.#paths = null;
      return { head: null, paths: null, isListed: false };
    }
    const head = (await this.#readCheckout())?.head ?? null;
    const before = this.#paths;
    const paths = await this.#readPaths();
    return { head, paths, isListed: this.#paths !== before };
  }

  async #readCheckout(): Promise<Checkout | null> {
    const at = this.#now();
    const known = this.#checkout;
    const stamp = known?.value ? await stampOf(filesOfHead(this.#root, known.value), at) : null;
    if (known && this.#isCurrent(known, stamp, at)) return known.value;
    const value = await readCheckout(this.#root);
    // Another branch has another file: then there is no stamp from before the question yet.
    const isSame = value !== null && known?.value?.ref === value.ref && known.value.gitFolder === value.gitFolder;
    this.#checkout = { value, stamp: isSame ? stamp : null, at };
    return value;
  }

  async #readPaths(): Promise<string[] | null> {
    const at = this.#now();
    const known = this.#paths;
    const stamp = this.#watched ? await stampOf(this.#watched, at) : null;
    if (known && this.#isCurrent(known, stamp, at)) return known.value;
    const value = await readPaths(this.#root);
    const watched = value && this.#checkout?.value ? await filesOfList(this.#root, this.#checkout.value, value) : null;
    const isSame = isEqual(watched, this.#watched);
    this.#watched = watched;
    this.#paths = { value, stamp: isSame ? stamp : null, at };
    return value;
  }

  #isCurrent<T>(known: Answer<T>, stamp: Stamp | null, at: number): boolean {
    if (stamp === null || known.stamp === null || at - known.at >= ASK_AGAIN_MS || at < known.at) return false;
    return known.stamp.isSettled && isEqual(known.stamp.numbers, stamp.numbers);
  }
}

/** As git looks for one: here and in every folder above. */
function isInRepository(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (statsOf(join(folder, ".git")) || (statsOf(join(folder, "HEAD")) && statsOf(join(folder, "objects"))))
      return true;
    if (folder === dirname(folder)) return false;
  }
}

const filesOfHead = (root: string, { ref, gitFolder, commonFolder }: Checkout): string[] => [
  join(root, ".git"),
  join(gitFolder, "HEAD"),
  ...(ref === null ? [] : [join(commonFolder, ref)]),
  join(commonFolder, "packed-refs"),
  join(commonFolder, "reftable", "tables.list"),
];

/** Null where there are too many. */
async function filesOfList(root: string, checkout: Checkout, paths: readonly string[]): Promise<string[] | null> {
  const folders = await foldersOf(root, paths);
  if (folders === null) return null;
  return [
    join(checkout.gitFolder, "index"),
    join(checkout.commonFolder, "info", "exclude"),
    join(checkout.commonFolder, "config"),
    ...paths.filter((path) => path === ".gitignore" || path.endsWith("/.gitignore")).map((path) => join(root, path)),
    ...folders.map((folder) => join(root, folder)),
  ];
}

/**
 * The folders of all files, and those below them that hold none yet: in these a first file may appear. Left out are other
 * repositories, and folders that are known to be full of what nobody wrote.
 */
async function foldersOf(root: string, paths: readonly string[]): Promise<string[] | null> {
  const folders = new Set([""]);
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  if (folders.size > FOLDERS_MAX) return null;
  const most = folders.size + EMPTY_MAX;
  let asked = 0;
  // A set also visits what is added on the way.
  for (const folder of folders) {
    if (++asked % SLICE === 0) await nextTurn();
    const names = subfolders(join(root, folder));
    if (folder !== "" && names.includes(".git")) continue;
    for (const name of names)
      if (folders.size < most && name !== ".git" && !SKIPPED.has(name)) folders.add(join(folder, name));
  }
  return [...folders];
}

function subfolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    // The `.git` of a submodule or a second checkout is a file.
    return entries.filter((one) => one.isDirectory() || one.name === ".git").map(({ name }) => name);
  } catch {
    return [];
  }
}

async function stampOf(files: readonly string[], at: number): Promise<Stamp> {
  const stamp: Stamp = { numbers: [], isSettled: true };
  for (const [index, file] of files.entries()) {
    if (index % SLICE === SLICE - 1) await nextTurn();
    addTo(stamp, file, at);
  }
  return stamp;
}

/** A time of change is set by the system alone, and a file that is replaced is another one. */
function addTo(stamp: Stamp, file: string, at: number): void {
  const { ino, ctimeMs } = statsOf(file) ?? { ino: -1, ctimeMs: -1 };
  stamp.numbers.push(ino, ctimeMs);
  if (ctimeMs > at - SETTLED_MS) stamp.isSettled = false;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function isEqual<T>(a: readonly T[] | null, b: readonly T[] | null): boolean {
  return a !== null && b !== null && a.length === b.length && a.every((one, index) => one === b[index]);
}
