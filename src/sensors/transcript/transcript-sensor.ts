/**
 * Turns the transcript of one session into signals.
 *
 * Time of a record: a record that arrives while rouse watches counts when it is read. A record that was written in
 * unobserved time (the machine slept, rouse was down, the loop was blocked) counts at its own time, limited to the time
 * between the two checks. So no record can claim a time at which it did not exist yet. A record that is older than the
 * process belongs to an earlier run of the conversation and always keeps its own time, whenever it is read: a resumed
 * program may switch to its old file, or copy it, seconds after its start. So does what a program finds in a file that it
 * switches to while it runs: it resumes or forks a conversation that another session wrote, and is still judged by.
 *
 * A transcript that is seen for the first time is history: only its end is read, each record at its own time, to learn
 * the agent's state. A gap from the first record until now precedes it and removes that time from every clock: an agent
 * that has waited for hours is shown as waiting, but silence before the first check never counts against it. After a
 * restart the journal has the past, and the reader only gets it as context.
 */
import type { GapSignal, Signal } from "../../core/signal.js";
import type { Refusal } from "../../programs/files.js";
import type { MakeReader } from "../../programs/program.js";
import { programFor } from "../../programs/registry.js";
import { parseRecord } from "../../readers/records/json.js";
import { type ReadContext, type RecordReader, recordTime } from "../../readers/records/record-reader.js";
import { readHeadInside, realRoot } from "./safe-open.js";
import { Tail, type TailMark } from "./tail.js";

export interface TranscriptOptions extends ReadContext {
  /** Id of the program's profile. */
  kind: string;
  path: string;
  /** The folder of the program's transcripts; nothing outside it is read. */
  root: string;
  /** When the process started that writes it; without it, every record may be of this process. */
  startedAt?: number;
  /** State of an earlier run: reading continues from there. */
  resume?: TranscriptState;
  windowBytes?: number;
  chunkBytes?: number;
}

/** Plain data, stored beside the journal. Contains no text of the transcript. */
export interface TranscriptState {
  path: string;
  marks: readonly TailMark[];
  checkedAt: number;
}

export interface TranscriptRead {
  signals: Signal[];
  /** More can be read at once. */
  more: boolean;
  /** Why nothing can be read; null if it can. `missing` is normal before the first prompt. */
  refusal: Refusal | null;
}

/** Checks further apart than this leave unobserved time between them. */
export const LATE_MS = 5000;
const HEAD_BYTES = 256 * 1024;
/** A state file may name the next conversation some seconds after its first record. */
const SWITCH_MS = 10_000;
const MARKS_KEPT = 8;

export class TranscriptSensor {
  #makeReader: MakeReader | null = null;
  #reader: RecordReader | null = null;
  #tail: Tail;
  #phase: "new" | "resuming" | "history" | "live";
  #checkedAt: number | null;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** The last record was written by an earlier process, at this time. */
  #earlierAt: number | null = null;
  #historyUntil = 0;
  /** The program was last seen to write another file then. */
  #elsewhereAt = Number.NEGATIVE_INFINITY;

  readonly #options: TranscriptOptions;

  constructor(options: TranscriptOptions) {
    this.#options = options;

    const resumes = options.resume?.path === options.path;
    this.#phase = resumes ? "resuming" : "new";
    this.#checkedAt = resumes ? (options.resume?.checkedAt ?? null) : null;
    this.#tail = this.#tailOf(options.path, resumes ? options.resume?.marks : undefined);
  }

  get path(): string {
    return this.#tail.path;
  }

  /** The subagent that the file is of, once its records name one. */
  get subagent(): string | undefined {
    return this.#reader?.subagent;
  }

  get state(): TranscriptState {
    return { path: this.path, marks: this.#tail.position.slice(-MARKS_KEPT), checkedAt: this.#checkedAt ?? 0 };
  }

  /**
   * The program continues in another file: a resumed or a new conversation. What that file already has is history.
   * `elsewhereAt`: when the program itself last named the previous file; null if it never did.
   */
  async follow(path: string, elsewhereAt: number | null = null): Promise<void> {
    if (path === this.path) return;
    this.#elsewhereAt = (elsewhereAt ?? Number.NEGATIVE_INFINITY) - SWITCH_MS;
    await this.#tail.close();
    this.#tail = this.#tailOf(path, undefined);
    this.#phase = "new";
    this.#lastAt = Number.NEGATIVE_INFINITY;
  }

  async read(at: number): Promise<TranscriptRead> {
    this.#makeReader ??= (await programFor(this.#options.kind).readers()).transcript;
    this.#reader ??= this.#makeReader(this.#options);
    if (this.#phase === "resuming") {
      for (const line of await this.#tail.readBefore()) this.#readLine(line, at);
      this.#phase = "live";
    }
    const { lines, more, refusal } = await this.#tail.read();
    const signals: Signal[] = [];
    // A file that does not exist yet will be written while rouse watches: it has no history.
    if (this.#phase === "new" && refusal === "missing") this.#phase = "live";
    if (this.#phase === "new" && refusal === null) {
      this.#phase = "history";
      this.#historyUntil = at;
      signals.push(...(await this.#readHead(at)));
    }
    const history = this.#phase === "history";
    for (const line of lines) signals.push(...this.#readLine(line, at));
    if (!more) {
      if (history) this.#phase = "live";
      this.#checkedAt = at;
    }
    return { signals: history ? withGap(signals, this.#historyUntil) : signals, more, refusal };
  }

  async close(): Promise<void> {
    await this.#tail.close();
  }

  #tailOf(path: string, marks: readonly TailMark[] | undefined): Tail {
    const { windowBytes, chunkBytes } = this.#options;
    return new Tail(path, {
      root: realRoot(this.#options.root) ?? this.#options.root,
      ...(windowBytes === undefined ? {} : { windowBytes }),
      ...(chunkBytes === undefined ? {} : { chunkBytes }),
      ...(marks === undefined ? {} : { marks }),
    });
  }

  /**
   * The first record has the id and the folder; in a long transcript it is outside the window. In a short one it is
   * read again, so a separate reader reads it here: a reader skips a record that it has seen.
   */
  async #readHead(at: number): Promise<Signal[]> {
    const text = await readHeadInside(this.path, realRoot(this.#options.root) ?? this.#options.root, HEAD_BYTES);
    const end = text?.indexOf("\n") ?? -1;
    if (!text || end < 0) return [];
    const record = parseRecord(text.slice(0, end));
    if (record === null) return [];
    const signals = this.#makeReader?.(this.#options).read(record, this.#timeOf(record, at)) ?? [];
    return signals.filter((signal) => signal.kind === "session");
  }

  #readLine(line: string, at: number): Signal[] {
    const record = parseRecord(line);
    return record === null || this.#reader === null ? [] : this.#reader.read(record, this.#timeOf(record, at));
  }

  /** Its time if this process did not write the record here; null if it did. */
  #earlierTime(written: number): number | null {
    const { startedAt } = this.#options;
    if (startedAt === undefined) return null;
    if (written < startedAt) return written;
    // Counts as written before the process, like everything else that it did not do.
    return written < this.#elsewhereAt ? startedAt - 1 : null;
  }

  #timeOf(record: unknown, at: number): number {
    const written = recordTime(record);
    if (written !== null) this.#earlierAt = this.#earlierTime(written);
    if (this.#earlierAt !== null) return this.#earlierAt;
    const isHistory = this.#phase !== "live";
    const isLate = this.#checkedAt === null || at - this.#checkedAt > LATE_MS;
    const from = isHistory ? Number.NEGATIVE_INFINITY : isLate ? (this.#checkedAt ?? at) : at;
    const own = written ?? (isHistory && this.#lastAt > 0 ? this.#lastAt : at);
    const time = Math.min(at, Math.max(own, from, isHistory ? this.#lastAt : from));
    this.#lastAt = Math.max(this.#lastAt, time);
    return time;
  }
}

/** The gap comes first: a judgement between two signals must already know that the time was unobserved. */
export function withGap(signals: Signal[], until: number): Signal[] {
  const from = signals.reduce((first, signal) => Math.min(first, signal.at), until);
  if (from >= until) return signals;
  const gap: GapSignal = { kind: "gap", at: from, source: "observer", from, to: until };
  return [gap, ...signals];
}
