/** Turns the state file that a program keeps for one process into signals. */
import type { Signal } from "../../core/signal.js";
import { partOf } from "../../programs/part.js";
import { programFor } from "../../programs/registry.js";
import type { SessionFile, SessionFilePart } from "../../programs/transcript.js";
import { NO_CONTEXT, type RecordReader } from "../../readers/records/record-reader.js";
import { programFiles } from "../process/program-files.js";

interface SessionProcess {
  kind: string;
  configFolder: string;
  pid: number;
  startedAt: number;
}

export class SessionFileSensor {
  readonly #process: SessionProcess;
  readonly #part: SessionFilePart;
  #reader: RecordReader | null = null;
  #latest: SessionFile | null = null;
  #supervisedAs: string | undefined;
  #readAt: number | null = null;

  private constructor(process: SessionProcess, part: SessionFilePart) {
    this.#process = process;
    this.#part = part;
  }

  /** Null if the program keeps no such file. */
  static of(process: SessionProcess): SessionFileSensor | null {
    const part = partOf(programFor(process.kind).sessionFile);
    return part && new SessionFileSensor(process, part);
  }

  /** The current conversation of the process: `/clear` starts another one, in another transcript. */
  get session(): SessionFile | null {
    return this.#latest;
  }

  /** The id of the session in the program's own supervisor; undefined if that does not run it. */
  get supervisedAs(): string | undefined {
    return this.#supervisedAs;
  }

  async read(at: number): Promise<Signal[]> {
    this.#latest = await this.#part.read(programFiles, { ...this.#process, supervisedAs: this.#supervisedAs });
    this.#supervisedAs = this.#latest?.supervisedAs ?? this.#supervisedAs;
    this.#reader ??= (await programFor(this.#process.kind).readers()).session_file?.(NO_CONTEXT) ?? null;
    const changedAt = Math.min(at, this.#latest?.changedAt ?? at);
    // A status of before a turn that is read during the turn is not its end. The first status is that of now.
    const since = Math.max(changedAt, this.#readAt ?? at);
    this.#readAt = at;
    return this.#latest && this.#reader ? this.#reader.read(this.#latest.record, since) : [];
  }
}
