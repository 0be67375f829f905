/**
 * Files that the subagents of a session write beside its transcript: the work that is done for the session, and its
 * cost.
 */
import { basename, join } from "node:path";
import type { Signal } from "../../core/signal.js";
import { partOf } from "../../programs/part.js";
import { programFor } from "../../programs/registry.js";
import type { SideFilesPart } from "../../programs/transcript.js";
import { parseRecord } from "../../readers/records/json.js";
import { NO_CONTEXT, type ReadContext } from "../../readers/records/record-reader.js";
import { signalsOfSubagent } from "../../readers/records/subagent.js";
import { programFiles } from "../process/program-files.js";
import { realRoot } from "./safe-open.js";
import { TranscriptSensor } from "./transcript-sensor.js";

const FILES_MAX = 8;
const NAMES_MAX = 2000;
/** A file that did not grow for this long is not read until it does. */
const FRESH_MS = 15 * 60_000;
const HEAD_BYTES = 256 * 1024;

export class SideFiles {
  readonly #sensors = new Map<string, TranscriptSensor>();
  /** Whether a file belongs to the session, by its path. */
  readonly #own = new Map<string, boolean>();
  readonly #part: SideFilesPart | null;

  readonly #transcript: string;
  readonly #root: string;
  readonly #kind: string;
  readonly #context: ReadContext;

  constructor(transcript: string, root: string, kind: string, limits: Pick<ReadContext, "commandLimitMs"> = {}) {
    this.#transcript = transcript;
    this.#root = root;
    this.#kind = kind;
    this.#context = { ...NO_CONTEXT, ...limits };

    const transcripts = partOf(programFor(kind).transcript);
    this.#part = transcripts && partOf(transcripts.sideFiles);
  }

  async read(at: number): Promise<Signal[]> {
    if (this.#part === null) return [];
    const fresh = await this.#freshFiles(this.#part, at);
    for (const [path, sensor] of this.#sensors) {
      if (fresh.includes(path)) continue;
      await sensor.close();
      this.#sensors.delete(path);
    }
    const signals: Signal[] = [];
    for (const path of fresh) signals.push(...(await this.#readFile(path, at)));
    return signals;
  }

  async close(): Promise<void> {
    for (const sensor of this.#sensors.values()) await sensor.close();
    this.#sensors.clear();
  }

  async #readFile(path: string, at: number): Promise<Signal[]> {
    const known = this.#sensors.get(path);
    const sensor = known ?? new TranscriptSensor({ kind: this.#kind, path, root: this.#root, ...this.#context });
    this.#sensors.set(path, sensor);
    const { signals } = await sensor.read(at);
    const found = signalsOfSubagent(signals, sensor.subagent ?? basename(path));
    // Its first content may be old: only what is still open matters.
    return known === undefined ? openCalls(found) : found;
  }

  async #freshFiles(part: SideFilesPart, at: number): Promise<string[]> {
    const folder = await part.folder(this.#transcript, programFiles);
    if (folder === null) return [];
    const files: { path: string; changedAt: number }[] = [];
    for (const name of (await programFiles.names(folder)).slice(-NAMES_MAX)) {
      const path = join(folder, name);
      if (!part.isSideFile(name) || path === this.#transcript || this.#own.get(path) === false) continue;
      const changedAt = (await programFiles.changedAt(path)) ?? 0;
      if (at - changedAt < FRESH_MS && (await this.#isOwn(part, path))) files.push({ path, changedAt });
    }
    return files
      .sort((a, b) => b.changedAt - a.changedAt)
      .slice(0, FILES_MAX)
      .map(({ path }) => path);
  }

  async #isOwn({ isOf }: SideFilesPart, path: string): Promise<boolean> {
    const known = this.#own.get(path);
    if (known !== undefined || isOf === undefined) return known ?? true;
    const text = await programFiles.readHead(path, realRoot(this.#root) ?? this.#root, HEAD_BYTES);
    const end = text?.indexOf("\n") ?? -1;
    // The first line is not complete yet.
    if (!text || end < 0) return false;
    const head = parseRecord(text.slice(0, end));
    const isOwn = head !== null && isOf(head, this.#transcript);
    if (this.#own.size < NAMES_MAX) this.#own.set(path, isOwn);
    return isOwn;
  }
}

function openCalls(signals: readonly Signal[]): Signal[] {
  const ended = new Set(signals.flatMap((signal) => (signal.kind === "tool_end" ? [signal.id] : [])));
  return signals.filter((signal) => signal.kind === "tool_start" && !ended.has(signal.id));
}
