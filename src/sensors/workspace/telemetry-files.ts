/**
 * A project's own telemetry: files to which agents or their tools append events, one JSON object per line (the
 * ActivityEmitter of the agent resume system). A heartbeat or an acknowledgement is no event, and a file that an agent
 * can write proves activity at most, never progress.
 */
import { join } from "node:path";
import { digest } from "../../core/digest.js";
import { isNoise } from "../../core/judgement/noise.js";
import { type JsonRecord, parseRecord } from "../../readers/records/json.js";
import { Tail } from "../transcript/tail.js";
import type { FoundFile } from "./glob.js";

export interface ProjectEvent {
  /** The file, relative to the folder. */
  path: string;
  /** Its own time; null if it has none. */
  at: number | null;
  /** When it was first read. */
  readAt: number;
  /** The agent that it names, in lower case; null if it names none. */
  agent: string | null;
  digest: string;
}

/** The same limit as in seed 004's detector. */
const EVENTS_MAX = 200;
const FILES_MAX = 8;
const WINDOW_BYTES = 64 * 1024;
/** Of the window, per file and check; the rest follows at the next check. */
const READS_MAX = 4;

export class TelemetryFiles {
  readonly #files = new Map<string, { key: string; tail: Tail }>();
  #events: ProjectEvent[] = [];

  /** The latest events of these files, oldest first. */
  async read(root: string, files: readonly FoundFile[], at: number): Promise<readonly ProjectEvent[]> {
    for (const { path, key } of files.slice(0, FILES_MAX)) {
      const known = this.#files.get(path);
      if (known?.key === key) continue;
      const full = join(root, path);
      const tail = known?.tail ?? new Tail(full, { root, windowBytes: WINDOW_BYTES, chunkBytes: WINDOW_BYTES });
      const isWhole = await this.#follow(tail, path, at);
      this.#files.set(path, { key: isWhole ? key : "", tail });
    }
    const present = new Set(files.map(({ path }) => path));
    for (const path of this.#files.keys()) if (!present.has(path)) this.#files.delete(path);
    this.#events = this.#events.slice(-EVENTS_MAX);
    return this.#events;
  }

  /** False if there is more to read. The file is closed between checks; the tail finds its place again. */
  async #follow(tail: Tail, path: string, at: number): Promise<boolean> {
    try {
      for (let reads = 0; reads < READS_MAX; reads++) {
        const { lines, more } = await tail.read();
        for (const line of lines) {
          const event = eventOf(line, path, at);
          if (event !== null) this.#events.push(event);
        }
        if (!more) return true;
      }
      return false;
    } finally {
      await tail.close();
    }
  }
}

const AGENT = ["agent", "agent_id", "agentId", "agent_name"];
const TIME = ["timestamp", "ts", "time", "at", "created_at"];
const KIND = ["type", "event", "event_type", "kind", "name"];
const TEXT = ["summary", "message", "text", "description"];
const LIFE_ONLY = /^(?:heart[-_ ]?beat|ping|alive|keep[-_ ]?alive|ack|acknowledg\w{0,10})$/i;

function eventOf(line: string, path: string, readAt: number): ProjectEvent | null {
  const record = parseRecord(line);
  if (record === null) return null;
  const text = textIn(record, TEXT);
  if (LIFE_ONLY.test(textIn(record, KIND)?.slice(0, 100) ?? "") || isNoise(text)) return null;
  const agent = textIn(record, AGENT)?.slice(0, 200).toLowerCase() ?? null;
  return { path, at: timeIn(record), readAt, agent, digest: digest(line) };
}

function textIn(record: JsonRecord, names: readonly string[]): string | undefined {
  const name = names.find((one) => typeof record[one] === "string" && record[one] !== "");
  return name === undefined ? undefined : (record[name] as string);
}

/** A time without a zone is local. */
function timeIn(record: JsonRecord): number | null {
  for (const name of TIME) {
    const value = record[name];
    const ms = typeof value === "string" ? Date.parse(value.slice(0, 40)) : typeof value === "number" ? value : NaN;
    // Seconds until the year 5138.
    if (Number.isFinite(ms)) return typeof value === "number" && ms < 1e11 ? ms * 1000 : ms;
  }
  return null;
}
