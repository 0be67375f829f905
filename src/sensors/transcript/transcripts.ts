/**
 * All watched transcripts, read when they change. Change events of the system can be lost (a full queue, a network file
 * system, a file that did not exist yet), so every transcript is also checked at intervals.
 */
import { type FSWatcher, watch } from "chokidar";
import type { Signal } from "../../core/signal.js";
import type { Refusal } from "../../programs/files.js";
import type { ReadContext } from "../../readers/records/record-reader.js";
import { DatabaseSensor, type DatabaseSensorOptions } from "./database-sensor.js";
import { SideFiles } from "./side-files.js";
import { type TranscriptOptions, TranscriptSensor, type TranscriptState } from "./transcript-sensor.js";

export interface TranscriptUpdate {
  session: string;
  signals: Signal[];
  refusal: Refusal | null;
}

export interface TranscriptsOptions {
  /** Called when a file changed, so that the caller need not wait for its next tick. */
  onChange?: () => void;
  sweepMs?: number;
  /** False: checks at intervals only. */
  watch?: boolean;
}

interface Entry {
  sensor: TranscriptSensor | DatabaseSensor;
  side: SideFiles;
  limits: Pick<ReadContext, "commandLimitMs">;
  kind: string;
  root: string;
  due: boolean;
  sweptAt: number;
  readAt: number;
  /** The system has reported a change of this file. */
  noticed: boolean;
}

const SWEEP_MS = 5000;
/**
 * Until its first change event a file is checked more often: if its folder did not exist when the watch started, no
 * event arrives. That is normal for Claude Code in a new project until the first prompt.
 */
const UNNOTICED_SHARE = 0.2;
/**
 * chokidar drops an event within 5 ms of another, so an immediate read may precede the second write. Codex ends a turn
 * with several such writes, so a changed file is read once more after this time.
 */
const AGAIN_MS = 100;
/** Number of parallel reads: each holds at most one chunk of a megabyte. */
const AT_ONCE = 8;

export class Transcripts {
  readonly #entries = new Map<string, Entry>();
  readonly #sessions = new Map<string, Set<string>>();
  #watcher: FSWatcher | null = null;
  #ticking: Promise<TranscriptUpdate[]> | null = null;
  readonly #again = new Map<Entry, NodeJS.Timeout>();

  readonly #options: TranscriptsOptions;

  constructor(options: TranscriptsOptions = {}) {
    this.#options = options;
  }

  async add(session: string, options: TranscriptOptions): Promise<void> {
    await this.remove(session);
    const { path, root, kind, commandLimitMs } = options;
    const limits = commandLimitMs === undefined ? {} : { commandLimitMs };
    const side = new SideFiles(path, root, kind, limits);
    const sweptAt = Number.NEGATIVE_INFINITY;
    const times = { due: true, sweptAt, readAt: sweptAt, noticed: false };
    this.#entries.set(session, { sensor: new TranscriptSensor(options), side, limits, kind, root, ...times });
    this.#notice(path, session);
  }

  /** For a program with a database instead of a file. It writes to the log beside the database first. */
  async addDatabase(session: string, kind: string, options: DatabaseSensorOptions): Promise<void> {
    await this.remove(session);
    const { path, root } = options.place;
    const sensor = new DatabaseSensor(options);
    const side = new SideFiles(path, root, kind);
    const sweptAt = Number.NEGATIVE_INFINITY;
    const times = { due: true, sweptAt, readAt: sweptAt, noticed: false };
    this.#entries.set(session, { sensor, side, limits: {}, kind, root, ...times });
    this.#notice(noticedOf(sensor), session);
  }

  async remove(session: string): Promise<void> {
    const entry = this.#entries.get(session);
    if (!entry) return;
    this.#entries.delete(session);
    clearTimeout(this.#again.get(entry));
    this.#again.delete(entry);
    this.#unnotice(noticedOf(entry.sensor), session);
    await Promise.all([entry.sensor.close(), entry.side.close()]);
  }

  /** The session's program now writes another file; for `elsewhereAt` see `TranscriptSensor`. */
  async follow(session: string, path: string, elsewhereAt: number | null = null): Promise<void> {
    const entry = this.#entries.get(session);
    if (!entry || entry.sensor.path === path || entry.sensor instanceof DatabaseSensor) return;
    this.#unnotice(entry.sensor.path, session);
    await entry.side.close();
    entry.side = new SideFiles(path, entry.root, entry.kind, entry.limits);
    await entry.sensor.follow(path, elsewhereAt);
    entry.due = true;
    entry.noticed = false;
    this.#notice(path, session);
  }

  /** To be stored, and passed as `resume` later. */
  stateOf(session: string): TranscriptState | null {
    return this.#entries.get(session)?.sensor.state ?? null;
  }

  /** Reads the transcripts that are due. Overlapping calls share one reading. */
  tick(at: number): Promise<TranscriptUpdate[]> {
    this.#ticking ??= this.#readDue(at).finally(() => {
      this.#ticking = null;
    });
    return this.#ticking;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((session) => this.remove(session)));
    await this.#watcher?.close();
    this.#watcher = null;
  }

  async #readDue(at: number): Promise<TranscriptUpdate[]> {
    const sweepMs = this.#options.sweepMs ?? SWEEP_MS;
    const isWatching = this.#options.watch !== false;
    const isDue = ({ due, sweptAt, noticed, readAt }: Entry): boolean =>
      due || at - sweptAt >= sweepMs || (isWatching && !noticed && at - readAt >= sweepMs * UNNOTICED_SHARE);
    const due = [...this.#entries].filter(([, entry]) => isDue(entry));
    const updates: TranscriptUpdate[] = [];
    for (let from = 0; from < due.length; from += AT_ONCE) {
      const batch = due
        .slice(from, from + AT_ONCE)
        .map(([session, entry]) => this.#readOne(session, entry, at, sweepMs));
      updates.push(...(await Promise.all(batch)));
    }
    return updates.filter(({ signals, refusal }) => signals.length > 0 || refusal !== null);
  }

  async #readOne(session: string, entry: Entry, at: number, sweepMs: number): Promise<TranscriptUpdate> {
    const isFirst = entry.readAt === Number.NEGATIVE_INFINITY;
    const wasReported = entry.due;
    const update = await readEntry(session, entry, at, sweepMs);
    // It has grown without an event: the watch is on a path that no longer exists, so it is set up again.
    if (
      update.signals.length > 0 &&
      (isFirst || !wasReported) &&
      !entry.noticed &&
      this.#entries.get(session) === entry
    ) {
      this.#unnotice(noticedOf(entry.sensor), session);
      this.#notice(noticedOf(entry.sensor), session);
    }
    return update;
  }

  #notice(path: string, session: string): void {
    if (this.#options.watch === false) return;
    const known = this.#sessions.get(path);
    if (known) {
      known.add(session);
      return;
    }
    this.#sessions.set(path, new Set([session]));
    // Only the files themselves: a folder of old transcripts would cost a watch for each of them.
    this.#watcher ??= watch([], { followSymlinks: false, ignoreInitial: true })
      .on("all", (_, changed) => this.#changed(changed))
      .on("error", () => {});
    this.#watcher.add(path);
  }

  #unnotice(path: string, session: string): void {
    const sessions = this.#sessions.get(path);
    sessions?.delete(session);
    if (sessions?.size !== 0) return;
    this.#sessions.delete(path);
    this.#watcher?.unwatch(path);
  }

  #changed(path: string): void {
    for (const session of this.#sessions.get(path) ?? []) {
      const entry = this.#entries.get(session);
      if (!entry) continue;
      entry.due = true;
      entry.noticed = true;
      this.#readAgain(entry);
    }
    this.#options.onChange?.();
  }

  #readAgain(entry: Entry): void {
    clearTimeout(this.#again.get(entry));
    const timer = setTimeout(() => {
      this.#again.delete(entry);
      entry.due = true;
      this.#options.onChange?.();
    }, AGAIN_MS);
    this.#again.set(entry, timer.unref());
  }
}

/** The file whose changes announce new records. */
function noticedOf(sensor: TranscriptSensor | DatabaseSensor): string {
  return sensor instanceof DatabaseSensor ? `${sensor.path}-wal` : sensor.path;
}

async function readEntry(session: string, entry: Entry, at: number, sweepMs: number): Promise<TranscriptUpdate> {
  entry.due = false;
  entry.readAt = at;
  const { signals, more, refusal } = await entry.sensor.read(at);
  if (more) entry.due = true;
  if (at - entry.sweptAt < sweepMs) return { session, signals, refusal };
  entry.sweptAt = at;
  return { session, signals: [...signals, ...(await entry.side.read(at))], refusal };
}
