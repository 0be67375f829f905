/**
 * The commit and the files of one checkout, without running git while nothing has changed: a process costs
 * milliseconds, and its start blocks the daemon.
 *
 * Git runs again when the times of its own files, of an ignore file or of a folder of the work differ: git replaces
 * `HEAD`, branches and the index as whole files, and creating or removing a file changes the time of its folder.
 * Changes that these times cannot show (an ignore file outside the folder, a file system without folder times) are
 * found by running git every few minutes anyway.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Checkout, readCheckout, readPaths } from "./git.js";
import { SKIPPED, statsOf } from "./glob.js";

export interface RepositoryState {
  head: string | null;
  /** All files of the work; null outside a repository. */
  paths: readonly string[] | null;
  /** Whether git listed them for this result. */
  isListed: boolean;
}

const ASK_AGAIN_MS = 5 * 60_000;
/** Two changes within one tick of a file system's clock have the same time, so a recent change is checked again. */
const SETTLED_MS = 2000;
/** With more folders than this, git runs each time. */
const FOLDERS_MAX = 5000;
/** Most folders without files that are watched for their first file. */
const EMPTY_MAX = 1000;
const SLICE = 500;

/** Identity and time of some files; -1 for a missing file. */
interface Stamp {
  numbers: number[];
  /** False if something changed just now. */
  isSettled: boolean;
}

/** A result of git, with the stamp of its dependencies, taken before git ran. */
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
  /** Dependencies of the list of files. */
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
    // Another branch has another file, without an earlier stamp.
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

/** Searches like git: here and in every folder above. */
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

/** Null if there are too many. */
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
 * The folders of all files, and the empty folders below them, where a first file may appear. Other repositories and
 * folders of generated files are left out.
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
  // The iteration also visits members added during it.
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

/** Only the system sets a change time, and a replaced file is another file. */
function addTo(stamp: Stamp, file: string, at: number): void {
  const { ino, ctimeMs } = statsOf(file) ?? { ino: -1, ctimeMs: -1 };
  stamp.numbers.push(ino, ctimeMs);
  if (ctimeMs > at - SETTLED_MS) stamp.isSettled = false;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function isEqual<T>(a: readonly T[] | null, b: readonly T[] | null): boolean {
  return a !== null && b !== null && a.length === b.length && a.every((one, index) => one === b[index]);
}
