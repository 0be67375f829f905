/**
 * Changes in the workspace: commits, files, test results, devlogs, status files, telemetry events, messages; and which
 * files were read.
 *
 * Checked at long intervals, since work leaves lasting traces. The first check reports only changes whose own time is
 * within the lookback; later checks report differences from the previous one. A file that returns to an earlier content
 * has the earlier digest, so an edit and its undo count as no progress.
 */
import { join } from "node:path";
import { digest } from "../../core/digest.js";
import { normaliseResult } from "../../core/judgement/normalise.js";
import type { FileSignal, QueueSignal, Signal, TestSignal } from "../../core/signal.js";
import { readHeadInside } from "../transcript/safe-open.js";
import { type FileContent, type FolderCheck, TEXT_BYTES, type WorkspaceFolder } from "./folder.js";
import { type FoundFile, fileAt, matchesPath } from "./glob.js";
import { statusWithoutTimes } from "./sources.js";

export interface WorkspaceOptions {
  folder: WorkspaceFolder;
  /** Only commits with one of these words in author or subject count; all commits if there are none. */
  authors?: readonly string[];
  lookbackMs?: number;
  /** Names of the agent in the project's telemetry; an event that names another one is not its own. */
  names?: readonly string[];
}

const LOOKBACK_MS = 60 * 60_000;
const SIGNALS_MAX = 50;
const KNOWN_MAX = 4000;
const FILE_BYTES = 1024 * 1024;
/** File times are slightly behind the clock. */
const TOUCH_SLACK_MS = 2000;
const COMMIT_SLACK_MS = 60_000;
const PATH_MAX = 400;
/** rouse's own git reads these to list the files. */
const READ_BY_GIT = /(?:^|\/)\.git(?:ignore|attributes)$/;

/** The current folder, and the time of this agent's previous check. */
interface WorkspaceCheck {
  folder: FolderCheck;
  /** The previous check; for the first one, the start of the lookback. */
  since: number;
  isFirst: boolean;
}

export class WorkspaceSensor {
  #head: string | null = null;
  #checkedAt: number | null = null;
  /** Earlier changes are not this agent's work. */
  #beginsAt = Number.NEGATIVE_INFINITY;
  /** Last known state of each file: its key and a digest of its content. */
  readonly #files = new Map<string, { key: string; digest: string }>();
  /** Files changed since then were not reported yet: there were too many. */
  #unreadSince = Number.POSITIVE_INFINITY;
  #messages: ReadonlyMap<string, number> = new Map();

  readonly #options: WorkspaceOptions;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
  }

  isDue(at: number): boolean {
    return this.#options.folder.isDue(at, this.#checkedAt);
  }

  /** Called when it is due. */
  async check(now: number): Promise<Signal[]> {
    const isFirst = this.#checkedAt === null;
    const folder = await this.#options.folder.check(now, this.#checkedAt);
    if (folder === null) return [];
    const { at } = folder;
    const since = this.#checkedAt ?? at - (this.#options.lookbackMs ?? LOOKBACK_MS);
    if (isFirst) this.#beginsAt = since;
    const check: WorkspaceCheck = { folder, since, isFirst };
    const signals: Signal[] = [
      ...(await this.#commits(check)),
      ...(await this.#changedFiles(check)),
      ...(await this.#tests(check)),
      ...(await this.#roleFiles(check)),
      ...this.#events(check),
      ...this.#lastAccess(check),
      ...this.#depthChanges(check),
    ];
    if (isFirst && folder.isWhole) signals.push({ kind: "session", at, source: "workspace", cwd: folder.root });
    this.#checkedAt = at;
    return signals.sort((a, b) => a.at - b.at).slice(-SIGNALS_MAX * 4);
  }

  async #commits({ folder, since }: WorkspaceCheck): Promise<Signal[]> {
    const { head, at } = folder;
    const before = this.#head;
    this.#head = head;
    if (head === null || head === before) return [];
    const words = this.#options.authors ?? [];
    const commits = await this.#options.folder.commits(folder, head, before);
    return commits
      .filter((commit) => commit.at >= since - COMMIT_SLACK_MS)
      .filter(
        ({ author, subject }) => words.length === 0 || words.some((word) => `${author} ${subject}`.includes(word)),
      )
      .map((commit) => ({
        kind: "commit",
        at: Math.min(at, commit.at),
        source: "workspace",
        id: commit.id,
        subject: commit.subject,
      }));
  }

  async #changedFiles(check: WorkspaceCheck): Promise<Signal[]> {
    const files = this.#touchedFiles(check).filter(({ path }) => !this.#hasRole(path));
    const signals: FileSignal[] = [];
    this.#unreadSince = Number.POSITIVE_INFINITY;
    for (const file of files.sort((a, b) => a.anyChangeAt - b.anyChangeAt)) {
      if (signals.length >= SIGNALS_MAX) {
        this.#unreadSince = file.anyChangeAt;
        break;
      }
      const changed = await this.#changeOf(`file ${file.path}`, file, check, async () => ({
        digest: await contentOf(file, check.folder),
        ok: null,
      }));
      if (changed !== null)
        signals.push({ ...fileSignal(file.path, "workspace", timeOf(file, check)), digest: changed.digest });
    }
    return signals;
  }

  /** Files changed or removed since the previous check. A file may be listed later than it was written. */
  #touchedFiles({ folder, since }: WorkspaceCheck): FoundFile[] {
    const { paths, times, listedAfter, root } = folder;
    const from = Math.max(this.#beginsAt, Math.min(since, this.#unreadSince, listedAfter)) - TOUCH_SLACK_MS;
    // A removed file has no time and counts as changed.
    return paths.filter((_, index) => !((times.anyChangeAt[index] as number) < from)).map((path) => fileAt(root, path));
  }

  /**
   * A status with only a new time, or a message left by another agent, is not work: these files are reported by their
   * role.
   */
  #hasRole(path: string): boolean {
    return Object.values(this.#options.folder.sources).some((patterns: readonly string[]) =>
      patterns.some((pattern) => matchesPath(pattern, path)),
    );
  }

  async #tests(check: WorkspaceCheck): Promise<Signal[]> {
    const signals: TestSignal[] = [];
    for (const { file, source } of check.folder.tests) {
      const changed = await this.#changeOf(`test ${file.path}`, file, check, async () => {
        const text = await textOf(file, check.folder);
        return { digest: digest(`${file.path} ${normaliseResult(text)}`), ok: source.ok(text) };
      });
      if (changed === null) continue;
      const { ok, digest: found } = changed;
      signals.push({ kind: "test", at: timeOf(file, check), source: "workspace", ok, digest: found });
    }
    return signals.slice(-SIGNALS_MAX);
  }

  async #roleFiles(check: WorkspaceCheck): Promise<Signal[]> {
    const signals: FileSignal[] = [];
    for (const { file, role } of check.folder.roles) {
      const before = this.#files.get(`${role} ${file.path}`)?.digest;
      const changed = await this.#changeOf(`${role} ${file.path}`, file, check, async () => {
        const text = await textOf(file, check.folder);
        return { digest: digest(role === "status" ? statusWithoutTimes(text) : text), ok: null };
      });
      if (changed !== null && changed.digest !== before)
        signals.push({ ...fileSignal(file.path, role, timeOf(file, check)), digest: changed.digest });
    }
    return signals.slice(-SIGNALS_MAX);
  }

  /** An event without a name counts for every agent in the folder, like a changed file. */
  #events({ folder, since, isFirst }: WorkspaceCheck): Signal[] {
    const names = (this.#options.names ?? []).map((name) => name.toLowerCase());
    return folder.events
      .filter(({ readAt, agent }) => (isFirst || readAt > since) && (agent === null || names.includes(agent)))
      .map(({ at, readAt, ...event }) => ({ ...event, at: Math.min(folder.at, at ?? readAt) }))
      .filter(({ at }) => at >= this.#beginsAt)
      .map(({ at, path, digest: found }): FileSignal => ({ ...fileSignal(path, "telemetry", at), digest: found }))
      .slice(-SIGNALS_MAX);
  }

  /**
   * The latest reading of a file. Any program may have read it, so it is a weak sign; a file read as part of its change
   * is reported as changed.
   */
  #lastAccess({ folder: { paths, times, at }, since }: WorkspaceCheck): Signal[] {
    let latest = -1;
    for (const [index, readAt] of times.readAt.entries()) {
      const isRead = readAt > since && readAt <= at && readAt > (times.anyChangeAt[index] as number);
      if (isRead && readAt > (times.readAt[latest] ?? 0) && !READ_BY_GIT.test(paths[index] as string)) latest = index;
    }
    const path = paths[latest];
    return path === undefined ? [] : [fileSignal(path, "access", Math.round(times.readAt[latest] as number))];
  }

  #depthChanges({ folder: { depths, at }, isFirst }: WorkspaceCheck): Signal[] {
    const signals: QueueSignal[] = [];
    for (const name of new Set([...this.#messages.keys(), ...depths.keys()])) {
      const before = this.#messages.get(name) ?? 0;
      const depth = depths.get(name) ?? 0;
      if (depth === before) continue;
      signals.push({ kind: "queue", at, source: "workspace", op: depth > before ? "enqueue" : "dequeue", depth });
    }
    this.#messages = depths.size > KNOWN_MAX ? new Map([...depths].slice(0, KNOWN_MAX)) : depths;
    return isFirst ? [] : signals.slice(0, SIGNALS_MAX);
  }

  /** Content of a file that changed; null if it did not, or if it changed before the lookback. */
  async #changeOf(
    name: string,
    file: FoundFile,
    { folder, isFirst, since }: WorkspaceCheck,
    read: () => Promise<FileContent>,
  ): Promise<FileContent | null> {
    const known = this.#files.get(name);
    if (known?.key === file.key) return null;
    const reading = folder.readings.get(`${name} ${file.key}`) ?? read();
    folder.readings.set(`${name} ${file.key}`, reading);
    const found = await reading;
    this.#files.delete(name);
    this.#files.set(name, { key: file.key, digest: found.digest });
    const oldest = this.#files.keys().next();
    if (this.#files.size > KNOWN_MAX && !oldest.done) this.#files.delete(oldest.value);
    return isFirst && file.changedAt < since ? null : found;
  }
}

const fileSignal = (path: string, role: NonNullable<FileSignal["role"]>, at: number): FileSignal => ({
  kind: "file",
  at,
  source: "workspace",
  path: path.slice(0, PATH_MAX),
  role,
});

/** For a large file, and when a check has read enough, size and time are used instead. */
async function contentOf(file: FoundFile, check: FolderCheck): Promise<string> {
  if (file.size > FILE_BYTES || file.size > check.bytes || file.key === "gone") return file.key;
  check.bytes -= file.size;
  const text = await readHeadInside(join(check.root, file.path), check.root, FILE_BYTES);
  return text === null ? file.key : digest(text);
}

const textOf = async (file: FoundFile, { root }: FolderCheck): Promise<string> =>
  (await readHeadInside(join(root, file.path), root, TEXT_BYTES)) ?? "";

/** A file's own time, limited to the time between the two checks. */
function timeOf(file: FoundFile, { folder, since }: WorkspaceCheck): number {
  return Math.round(Math.min(folder.at, Math.max(since, file.changedAt)));
}
