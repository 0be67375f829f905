/** Turns a program's database into signals; times and history are handled as in `transcript-sensor.ts`. */
import type { Signal } from "../../core/signal.js";
import type { LazyLoad } from "../../programs/part.js";
import type {
  DatabaseAccess,
  DatabaseCode,
  DatabaseLocation,
  ReadDatabase,
  RowSource,
} from "../../programs/transcript.js";
import type { ReadContext, RecordReader } from "../../readers/records/record-reader.js";
import { openInside, realRoot } from "./safe-open.js";
import { LATE_MS, type TranscriptRead, type TranscriptState, withGap } from "./transcript-sensor.js";

export interface DatabaseSensorOptions extends ReadContext {
  load: LazyLoad<DatabaseCode>;
  place: DatabaseLocation;
  open: (path: string) => ReadDatabase;
  /** State of an earlier run: reading continues from there. */
  resume?: TranscriptState;
}

interface Following {
  code: DatabaseCode;
  source: RowSource;
  reader: RecordReader;
}

export class DatabaseSensor {
  readonly #options: DatabaseSensorOptions;
  #following: Following | null = null;
  #session: string | null = null;
  #checkedAt: number | null;
  /**
   * Up to this time, records only inform the reader: an earlier run reported them, or they belong to another session's
   * past.
   */
  #reportedUntil: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: DatabaseSensorOptions) {
    this.#options = options;
    const { resume, place } = options;
    const mark = resume?.path === place.path ? resume.marks[0] : undefined;
    this.#checkedAt = mark ? (resume?.checkedAt ?? null) : null;
    this.#reportedUntil = mark?.offset ?? Number.NEGATIVE_INFINITY;
    this.#session = mark?.before ?? null;
  }

  get path(): string {
    return this.#options.place.path;
  }

  get state(): TranscriptState {
    const position = this.#following?.source.position ?? null;
    const marks = position ? [{ offset: position.since, before: position.session }] : [];
    return { path: this.path, marks, checkedAt: this.#checkedAt ?? 0 };
  }

  async read(at: number): Promise<TranscriptRead> {
    this.#following ??= await this.#begin();
    const { code, source } = this.#following;
    const { rows, more, refusal, isBusy } = await source.read();
    const session = source.position?.session ?? null;
    if (session !== null && session !== this.#session) {
      // Another conversation: its records from before our last check are history.
      this.#following.reader = code.makeReader({ zone: this.#options.zone }, session);
      this.#session = session;
      this.#reportedUntil = this.#checkedAt === null ? Number.NEGATIVE_INFINITY : this.#checkedAt - code.overlapMs;
    }
    const isHistory = this.#checkedAt === null;
    const signals: Signal[] = [];
    for (const { at: placed, row } of code.placeRows(rows)) {
      const reported = this.#following.reader.read(row, this.#timeOf(placed, at));
      if (placed > this.#reportedUntil) signals.push(...reported);
    }
    if (!more && !isBusy && refusal !== "unreadable") this.#checkedAt = at;
    return { signals: isHistory ? withGap(signals, at) : signals, more, refusal };
  }

  close(): Promise<void> {
    this.#following?.source.close();
    return Promise.resolve();
  }

  async #begin(): Promise<Following> {
    const { load, place, open, zone } = this.#options;
    const code = await load();
    const reader = code.makeReader({ zone }, this.#session);
    return { code, source: code.open(place, databaseAccess(open)), reader };
  }

  #timeOf(own: number, at: number): number {
    const isHistory = this.#checkedAt === null;
    const isLate = !isHistory && at - (this.#checkedAt ?? at) > LATE_MS;
    const from = isHistory ? this.#lastAt : isLate ? (this.#checkedAt ?? at) : at;
    this.#lastAt = Math.max(this.#lastAt, Math.min(at, Math.max(own, from)));
    return this.#lastAt;
  }
}

export const databaseAccess = (open: (path: string) => ReadDatabase): DatabaseAccess => ({
  open,
  fileId: async (path, folder) => {
    const root = realRoot(folder);
    if (root === null) return { ok: false, reason: "missing" };
    const opened = await openInside(path, root);
    if (!opened.ok) return opened;
    const { dev, ino } = opened.stats;
    await opened.handle.close();
    return { ok: true, id: `${dev} ${ino}` };
  },
});
