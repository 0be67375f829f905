/**
 * Files that the subagents of a session write beside its transcript. Their turns and tools are not those of the
 * session: they show only that work is done for it, and its cost.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Signal } from "../../core/signal.js";
import { partOf } from "../../programs/part.js";
import { programFor } from "../../programs/registry.js";
import type { SideFilesPart } from "../../programs/transcript.js";
import { NO_CONTEXT } from "../../readers/records/record-reader.js";
import { TranscriptSensor } from "./transcript-sensor.js";

const FILES_MAX = 8;
const NAMES_MAX = 2000;
/** A file that did not grow for this long is not read until it does. */
const FRESH_MS = 15 * 60_000;

export class SideFiles {
  readonly #sensors = new Map<string, TranscriptSensor>();
  readonly #part: SideFilesPart | null;

  readonly #transcript: string;
  readonly #root: string;
  readonly #kind: string;

  constructor(transcript: string, root: string, kind: string) {
    this.#transcript = transcript;
    this.#root = root;
    this.#kind = kind;

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
    const sensor = known ?? new TranscriptSensor({ kind: this.#kind, path, root: this.#root, ...NO_CONTEXT });
    this.#sensors.set(path, sensor);
    const { signals } = await sensor.read(at);
    // Its first content was written at an unknown time.
    if (known === undefined || signals.length === 0) return [];
    const alive: Signal = { kind: "delta", at, source: "transcript", channel: "content", chars: 0 };
    return [...signals.filter((signal) => signal.kind === "tokens"), alive];
  }

  async #freshFiles({ folder: folderOf, isSideFile }: SideFilesPart, at: number): Promise<string[]> {
    const folder = folderOf(this.#transcript);
    const names = await readdir(folder).catch(() => []);
    const files: { path: string; changedAt: number }[] = [];
    for (const name of names.slice(0, NAMES_MAX)) {
      if (!isSideFile(name)) continue;
      const path = join(folder, name);
      const changedAt = await stat(path).then(
        (found) => found.mtimeMs,
        () => 0,
      );
      if (at - changedAt < FRESH_MS) files.push({ path, changedAt });
    }
    return files
      .sort((a, b) => b.changedAt - a.changedAt)
      .slice(0, FILES_MAX)
      .map(({ path }) => path);
  }
}
