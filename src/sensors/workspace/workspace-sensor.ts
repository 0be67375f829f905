/**
 * What changes in the workspace: commits, files, test results, devlogs, status files, messages.
 *
 * Looked at slowly: it proves work, and work leaves traces that stay. The first look tells only what its own time puts
 * within the lookback; later ones tell what differs from the look before. A file that comes back to what it was has
 * its old digest, so that an edit and its undo are seen to lead nowhere.
 */
import { join } from "node:path";
import { digest } from "../../core/digest.js";
import { normaliseResult } from "../../core/normalise.js";
import type { FileSignal, QueueSignal, Signal, TestSignal } from "../../core/signal.js";
import { readHeadInside, realRoot } from "../transcript/safe-open.js";
import { readCommits, readHead, readPaths } from "./git.js";
import { type Budget, type FoundFile, findFiles, matchesPath, touchedFiles } from "./glob.js";
import { DEFAULT_SOURCES, queueDepth, statusText, TEST_SOURCES, type WorkspaceSources } from "./sources.js";

export interface WorkspaceOptions {
  folder: string;
  sources?: Partial<WorkspaceSources>;
  /** Commits count only if one of these words stands in their author or subject; all of them if there are none. */
  authors?: readonly string[];
  lookbackMs?: number;
  /**
   * Folders that are never entered: rouse's own. What it writes is nobody's work, and to open and close the journal in
   * the process that holds it would drop SQLite's locks on it.
   */
  exclude?: readonly string[];
}

const LOOKBACK_MS = 60 * 60_000;
const EVERY_MS = 30_000;
/** A look may take this part of the time between two. */
const SHARE = 1 / 100;
const ENTRIES_MAX = 5000;
const SIGNALS_MAX = 50;
const KNOWN_MAX = 4000;
const TEXT_BYTES = 256 * 1024;
const FILE_BYTES = 1024 * 1024;
const LOOK_BYTES = 8 * 1024 * 1024;
/** Times of files are a little behind the clock. */
const TOUCH_SLACK_MS = 2000;
const COMMIT_SLACK_MS = 60_000;
const PATH_MAX = 400;

interface Look {
  at: number;
  /** The look before; of the first one, the beginning of the lookback. */
  since: number;
  isFirst: boolean;
  budget: Budget;
  bytes: number;
  root: string;
}

export class WorkspaceSensor {
  private head: string | null = null;
  private lookedAt: number | null = null;
  private nextAt = Number.NEGATIVE_INFINITY;
  /** What was seen of each file: how it looked, and what was in it. */
  private readonly files = new Map<string, { key: string; digest: string }>();
  /** Files touched since then were not told yet: there were too many. */
  private unreadSince = Number.POSITIVE_INFINITY;
  private readonly messages = new Map<string, number>();
  private readonly sources: WorkspaceSources;
  private excluded: readonly string[] = [];

  constructor(private readonly options: WorkspaceOptions) {
    this.sources = { ...DEFAULT_SOURCES, ...options.sources };
  }

  isDue(at: number): boolean {
    return at >= this.nextAt;
  }

  async look(at: number): Promise<Signal[]> {
    const root = realRoot(this.options.folder);
    if (root === null) return [];
    // By their names too: a folder that does not exist yet has no real path.
    this.excluded = (this.options.exclude ?? []).flatMap((folder) => [folder, realRoot(folder) ?? folder]);
    const startedAt = performance.now();
    const isFirst = this.lookedAt === null;
    const since = this.lookedAt ?? at - (this.options.lookbackMs ?? LOOKBACK_MS);
    const look: Look = { at, since, isFirst, budget: { entries: ENTRIES_MAX }, bytes: LOOK_BYTES, root };
    const signals: Signal[] = [
      ...(await this.commits(look)),
      ...(await this.changedFiles(look)),
      ...(await this.tests(look)),
      ...(await this.roleFiles(look)),
      ...(await this.queues(look)),
    ];
    // That it is watched is worth knowing of a workspace in which nothing changes; not of one too large to be seen whole.
    if (isFirst && look.budget.entries > 0) signals.push({ kind: "session", at, source: "workspace", cwd: root });
    this.lookedAt = at;
    this.nextAt = at + Math.max(EVERY_MS, (performance.now() - startedAt) / SHARE);
    return signals.sort((a, b) => a.at - b.at).slice(-SIGNALS_MAX * 4);
  }

  private async find(look: Look, pattern: string): Promise<FoundFile[]> {
    const found = await findFiles(look.root, pattern, look.budget);
    return found.filter(({ path }) => !this.isExcluded(look.root, path));
  }

  private isExcluded(root: string, path: string): boolean {
    const full = join(root, path);
    return this.excluded.some((folder) => full === folder || full.startsWith(`${folder}/`));
  }

  private async commits({ root, at, since }: Look): Promise<Signal[]> {
    const head = await readHead(root);
    const before = this.head;
    this.head = head;
    if (head === null || head === before) return [];
    const words = this.options.authors ?? [];
    const commits = await readCommits(root, head, before, since - COMMIT_SLACK_MS);
    return commits
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

  private async changedFiles(look: Look): Promise<Signal[]> {
    const paths =
      (await readPaths(look.root))?.filter((path) => !this.isExcluded(look.root, path)) ??
      (await this.find(look, "**/*")).map(({ path }) => path);
    const touched = await touchedFiles(look.root, paths, Math.min(look.since, this.unreadSince) - TOUCH_SLACK_MS);
    const files = touched.filter(({ path }) => !this.hasRole(path));
    const signals: FileSignal[] = [];
    this.unreadSince = Number.POSITIVE_INFINITY;
    for (const file of files.sort((a, b) => a.touchedAt - b.touchedAt)) {
      if (signals.length >= SIGNALS_MAX) {
        // The rest is told at the next look.
        this.unreadSince = file.touchedAt;
        break;
      }
      const changed = await this.changeOf(`file ${file.path}`, file, look, () => this.contentOf(file, look));
      if (changed !== null) signals.push(this.fileSignal(file, changed, "workspace", look));
    }
    return signals;
  }

  /** A status that is only stamped anew, or a message that somebody else left, is no work: these files are told by their role. */
  private hasRole(path: string): boolean {
    return Object.values(this.sources).some((patterns: readonly string[]) =>
      patterns.some((pattern) => matchesPath(pattern, path)),
    );
  }

  private async tests(look: Look): Promise<Signal[]> {
    const signals: TestSignal[] = [];
    for (const { pattern, ok } of TEST_SOURCES) {
      for (const file of await this.find(look, pattern)) {
        let passed: boolean | null = null;
        const changed = await this.changeOf(`test ${file.path}`, file, look, async () => {
          const text = (await readHeadInside(join(look.root, file.path), look.root, TEXT_BYTES)) ?? "";
          passed = ok(text);
          return digest(`${file.path} ${normaliseResult(text)}`);
        });
        // The same result again was still a run: it proves activity, and with its old digest no progress.
        if (changed === null) continue;
        signals.push({ kind: "test", at: timeOf(file, look), source: "workspace", ok: passed, digest: changed });
      }
    }
    return signals.slice(-SIGNALS_MAX);
  }

  private async roleFiles(look: Look): Promise<Signal[]> {
    const signals: FileSignal[] = [];
    for (const role of ["devlog", "status", "contract"] as const) {
      for (const pattern of this.sources[role]) {
        for (const file of await this.find(look, pattern)) {
          const before = this.files.get(`${role} ${file.path}`)?.digest;
          const changed = await this.changeOf(`${role} ${file.path}`, file, look, async () => {
            const text = (await readHeadInside(join(look.root, file.path), look.root, TEXT_BYTES)) ?? "";
            return digest(role === "status" ? statusText(text) : text);
          });
          if (changed !== null && changed !== before) signals.push(this.fileSignal(file, changed, role, look));
        }
      }
    }
    return signals.slice(-SIGNALS_MAX);
  }

  private async queues(look: Look): Promise<Signal[]> {
    const depths = new Map<string, number>();
    for (const pattern of this.sources.inbox) {
      const files = await this.find(look, pattern);
      for (const file of files) {
        const name = `inbox ${folderOf(file)}`;
        depths.set(name, (depths.get(name) ?? 0) + 1);
      }
    }
    for (const pattern of this.sources.queue) {
      for (const file of await this.find(look, pattern)) {
        const text = await readHeadInside(join(look.root, file.path), look.root, TEXT_BYTES);
        const depth = queueDepth(text ?? "");
        if (depth !== null) depths.set(`queue ${file.path}`, depth);
      }
    }
    return this.depthChanges(depths, look);
  }

  private depthChanges(depths: Map<string, number>, look: Look): Signal[] {
    const signals: QueueSignal[] = [];
    for (const name of new Set([...this.messages.keys(), ...depths.keys()])) {
      const before = this.messages.get(name) ?? 0;
      const depth = depths.get(name) ?? 0;
      if (depth === before) continue;
      signals.push({
        kind: "queue",
        at: look.at,
        source: "workspace",
        op: depth > before ? "enqueue" : "dequeue",
        depth,
      });
    }
    this.messages.clear();
    for (const [name, depth] of [...depths].slice(0, KNOWN_MAX)) this.messages.set(name, depth);
    return look.isFirst ? [] : signals.slice(0, SIGNALS_MAX);
  }

  /** The digest of a file that looks other than before; null for one that does not, or changed before the lookback. */
  private async changeOf(
    name: string,
    file: FoundFile,
    look: Look,
    read: () => Promise<string>,
  ): Promise<string | null> {
    const known = this.files.get(name);
    if (known?.key === file.key) return null;
    const found = await read();
    this.files.delete(name);
    this.files.set(name, { key: file.key, digest: found });
    const oldest = this.files.keys().next();
    if (this.files.size > KNOWN_MAX && !oldest.done) this.files.delete(oldest.value);
    return look.isFirst && file.changedAt < look.since ? null : found;
  }

  /** Of a large file, and when a look has read enough, the size and the time must do. */
  private async contentOf(file: FoundFile, look: Look): Promise<string> {
    if (file.size > FILE_BYTES || file.size > look.bytes || file.key === "gone") return file.key;
    look.bytes -= file.size;
    const text = await readHeadInside(join(look.root, file.path), look.root, FILE_BYTES);
    return text === null ? file.key : digest(text);
  }

  private fileSignal(file: FoundFile, found: string, role: NonNullable<FileSignal["role"]>, look: Look): FileSignal {
    return {
      kind: "file",
      at: timeOf(file, look),
      source: "workspace",
      path: file.path.slice(0, PATH_MAX),
      digest: found,
      role,
    };
  }
}

/** A file's own time, as far as it lies between the two looks. */
function timeOf(file: FoundFile, { at, since }: Look): number {
  return Math.round(Math.min(at, Math.max(since, file.changedAt)));
}

function folderOf({ path }: FoundFile): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
