/**
 * One check of a folder serves every agent that works in it: `WorkspaceFolder.check` reads, and the sensor of each
 * agent only compares the result with its previous one.
 */
import { join } from "node:path";
import { readHeadInside, realRoot } from "../transcript/safe-open.js";
import { type Commit, readCommits } from "./git.js";
import { type FileTimes, type FoundFile, fileTimes, findFiles, type GlobBudget } from "./glob.js";
import { Repository } from "./repository.js";
import { DEFAULT_SOURCES, queueDepth, TEST_SOURCES, type TestSource, type WorkspaceSources } from "./sources.js";
import { type ProjectEvent, TelemetryFiles } from "./telemetry-files.js";

export interface FolderOptions {
  sources?: Partial<WorkspaceSources>;
  /**
   * Folders that are never read: rouse's own. Its files are not an agent's work, and opening and closing the journal in
   * the process that holds it would drop SQLite's locks.
   */
  exclude?: readonly string[];
  /** The clock of the file system. */
  now?: () => number;
}

export const TEXT_BYTES: number = 256 * 1024;
const EVERY_MS = 30_000;
/** A check may take this share of the time between two checks. */
const SHARE = 1 / 100;
const ENTRIES_MAX = 5000;
const CHECK_BYTES = 8 * 1024 * 1024;
const ROLES = ["devlog", "status", "contract"] as const;

export interface FolderCheck {
  at: number;
  root: string;
  head: string | null;
  /** The files of the work, and the times of each. */
  paths: readonly string[];
  times: FileTimes;
  /** Files changed since then may be missing from the list: git does not run at every check. */
  listedAfter: number;
  tests: { file: FoundFile; source: TestSource }[];
  roles: { file: FoundFile; role: (typeof ROLES)[number] }[];
  /** The latest events of the project's own telemetry, oldest first. */
  events: readonly ProjectEvent[];
  /** Waiting messages, by inbox and queue. */
  depths: Map<string, number>;
  /** Nothing was skipped for lack of time. */
  isWhole: boolean;
  /** Bytes of content that may still be read. */
  bytes: number;
  /** Contents already read for other agents. */
  readings: Map<string, Promise<FileContent>>;
}

/** Content of a file; whether its tests passed, if it contains results. */
export interface FileContent {
  digest: string;
  ok: boolean | null;
}

export class WorkspaceFolder {
  readonly sources: WorkspaceSources;
  readonly #path: string;
  readonly #options: FolderOptions;
  #repository: { root: string; reader: Repository } | null = null;
  #last: FolderCheck | null = null;
  #nextAt = Number.NEGATIVE_INFINITY;
  /** When git last listed the files. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #commits = new Map<string, Promise<Commit[]>>();
  readonly #telemetry = new TelemetryFiles();

  constructor(path: string, options: FolderOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.sources = { ...DEFAULT_SOURCES, ...options.sources };
  }

  /** Whether there is a newer state than this agent's last check. */
  isDue(at: number, checkedAt: number | null): boolean {
    return checkedAt === null || at >= this.#nextAt || (this.#last !== null && this.#last.at > checkedAt);
  }

  /**
   * Another agent's check, if it is newer than this agent's last one; a first check is always new. Null without a
   * folder.
   */
  async check(at: number, checkedAt: number | null): Promise<FolderCheck | null> {
    const last = this.#last;
    const isNewer = last !== null && (checkedAt === null ? last.at === at : last.at > checkedAt);
    if (isNewer && at < this.#nextAt) return last;
    const root = realRoot(this.#path);
    if (root === null) return null;
    const startedAt = performance.now();
    this.#last = await this.#read(root, at);
    this.#nextAt = at + Math.max(EVERY_MS, (performance.now() - startedAt) / SHARE);
    return this.#last;
  }

  /** Commits in `head` that were not in `before`, oldest first. */
  commits({ root }: FolderCheck, head: string, before: string | null): Promise<Commit[]> {
    const range = `${head} ${before}`;
    const known = this.#commits.get(range) ?? readCommits(root, head, before);
    this.#commits.set(range, known);
    return known;
  }

  async #read(root: string, at: number): Promise<FolderCheck> {
    const excluded = (this.#options.exclude ?? []).flatMap((folder) => [folder, realRoot(folder) ?? folder]);
    const budget: GlobBudget = { entries: ENTRIES_MAX };
    const isOurs = (path: string): boolean => {
      const full = join(root, path);
      return excluded.some((folder) => full === folder || full.startsWith(`${folder}/`));
    };
    const find = async (pattern: string): Promise<FoundFile[]> =>
      (await findFiles(root, pattern, budget)).filter(({ path }) => !isOurs(path));

    if (this.#repository?.root !== root) this.#repository = { root, reader: new Repository(root, this.#options.now) };
    const { head, paths: listed, isListed } = await this.#repository.reader.read();
    if (head !== this.#last?.head) this.#commits.clear();
    const paths = listed?.filter((path) => !isOurs(path)) ?? (await find("**/*")).map(({ path }) => path);
    const isFresh = isListed || listed === null;
    const listedAfter = isFresh || this.#last === null ? this.#listedAt : this.#last.listedAfter;
    if (isFresh) this.#listedAt = at;
    const times = await fileTimes(root, paths);

    const tests: FolderCheck["tests"] = [];
    for (const source of TEST_SOURCES) for (const file of await find(source.pattern)) tests.push({ file, source });
    const roles: FolderCheck["roles"] = [];
    for (const role of ROLES)
      for (const pattern of this.sources[role]) for (const file of await find(pattern)) roles.push({ file, role });
    const written: FoundFile[] = [];
    for (const pattern of this.sources.telemetry) written.push(...(await find(pattern)));
    const events = await this.#telemetry.read(root, written, at);
    const depths = await this.#depths(root, find);
    const isWhole = budget.entries > 0;
    return {
      at,
      root,
      head,
      paths,
      times,
      listedAfter,
      tests,
      roles,
      events,
      depths,
      isWhole,
      bytes: CHECK_BYTES,
      readings: new Map(),
    };
  }

  async #depths(root: string, find: (pattern: string) => Promise<FoundFile[]>): Promise<Map<string, number>> {
    const depths = new Map<string, number>();
    for (const pattern of this.sources.inbox) {
      for (const file of await find(pattern)) {
        const name = `inbox ${folderOf(file)}`;
        depths.set(name, (depths.get(name) ?? 0) + 1);
      }
    }
    for (const pattern of this.sources.queue) {
      for (const file of await find(pattern)) {
        const text = await readHeadInside(join(root, file.path), root, TEXT_BYTES);
        const depth = queueDepth(text ?? "");
        if (depth !== null) depths.set(`queue ${file.path}`, depth);
      }
    }
    return depths;
  }
}

/** The folders in which agents work; each is kept while an agent works in it. */
export class WorkspaceFolders {
  readonly #options: FolderOptions;
  readonly #folders = new Map<string, WorkspaceFolder>();

  constructor(options: FolderOptions) {
    this.#options = options;
  }

  at(path: string): WorkspaceFolder {
    const known = this.#folders.get(path) ?? new WorkspaceFolder(path, this.#options);
    this.#folders.set(path, known);
    return known;
  }

  keepOnly(paths: ReadonlySet<string | null>): void {
    for (const path of this.#folders.keys()) if (!paths.has(path)) this.#folders.delete(path);
  }
}

function folderOf({ path }: FoundFile): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
