/** OpenCode's database as signals: times and history as `transcript-sensor.ts` says it of transcripts. */
import type { Signal } from "../../core/signal.js";
import { OpenCodeReader } from "../../programs/opencode/readers/rows.js";
import { placedRows } from "../../programs/opencode/readers/times.js";
import type { Place } from "../../readers/record-reader.js";
import { type DatabasePlace, OpenCodeDatabase, OVERLAP_MS, type ReadDatabase } from "./opencode-database.js";
import { LATE_MS, type TranscriptRead, type TranscriptState, withGap } from "./transcript-sensor.js";

export interface OpenCodeSensorOptions extends Place {
  place: DatabasePlace;
  open: (path: string) => ReadDatabase;
  /** State of an earlier life: reading goes on where it stopped. */
  resume?: TranscriptState;
}

export class OpenCodeSensor {
  readonly #options: OpenCodeSensorOptions;
  readonly #database: OpenCodeDatabase;
  #reader: OpenCodeReader;
  #session: string | null = null;
  #lookedAt: number | null;
  /** What was so by then is only shown to the reader: an earlier life told it, or it is the past of another session. */
  #toldUntil: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: OpenCodeSensorOptions) {
    this.#options = options;
    const { resume, place } = options;
    const mark = resume?.path === place.path ? resume.marks[0] : undefined;
    this.#lookedAt = mark ? (resume?.lookedAt ?? null) : null;
    this.#toldUntil = mark?.offset ?? Number.NEGATIVE_INFINITY;
    this.#session = mark?.before ?? null;
    this.#database = new OpenCodeDatabase(place, options.open);
    this.#reader = this.#readerOf(this.#session);
  }

  get path(): string {
    return this.#database.path;
  }

  get state(): TranscriptState {
    const position = this.#database.position;
    const marks = position ? [{ offset: position.since, before: position.session }] : [];
    return { path: this.path, marks, lookedAt: this.#lookedAt ?? 0 };
  }

  async read(at: number): Promise<TranscriptRead> {
    const { rows, more, problem, isBusy } = await this.#database.read();
    const session = this.#database.position?.session ?? null;
    if (session !== null && session !== this.#session) {
      // Another conversation. What is in it from before our last look is history, and nothing of now.
      this.#reader = this.#readerOf(session);
      this.#session = session;
      this.#toldUntil = this.#lookedAt === null ? Number.NEGATIVE_INFINITY : this.#lookedAt - OVERLAP_MS;
    }
    const isHistory = this.#lookedAt === null;
    const signals: Signal[] = [];
    for (const { at: placed, row } of placedRows(rows)) {
      const told = this.#reader.read(row, this.#timeOf(placed, at));
      if (placed > this.#toldUntil) signals.push(...told);
    }
    if (!more && !isBusy && problem !== "unreadable") this.#lookedAt = at;
    return { signals: isHistory ? withGap(signals, at) : signals, more, problem };
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  #readerOf(follow: string | null): OpenCodeReader {
    const { zone } = this.#options;
    return new OpenCodeReader({ ...(zone === undefined ? {} : { zone }), ...(follow === null ? {} : { follow }) });
  }

  #timeOf(own: number, at: number): number {
    const isHistory = this.#lookedAt === null;
    const isLate = !isHistory && at - (this.#lookedAt ?? at) > LATE_MS;
    const from = isHistory ? this.#lastAt : isLate ? (this.#lookedAt ?? at) : at;
    this.#lastAt = Math.max(this.#lastAt, Math.min(at, Math.max(own, from)));
    return this.#lastAt;
  }
}
