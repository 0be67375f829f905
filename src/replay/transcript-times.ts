/**
 * Places the lines of recorded transcripts on the recording's clock. `transcript-times.jsonl` has the second at which
 * each file grew, and by which lines; the matching `transcript-N.jsonl` is found by comparing the lines' kinds and
 * times. Lines are counted, never bytes: long texts were cut from the transcripts afterwards.
 */
import { join } from "node:path";
import { arrayAt, asRecord, type JsonRecord, parseRecord } from "../readers/records/json.js";
import { recordTime } from "../readers/records/record-reader.js";
import { readLines, readPart, recordOfLine } from "./files.js";
import type { RecordedInput } from "./inputs.js";

/** The growth of one file: the time of each line, and the first lines. */
interface Grown {
  file: string;
  times: number[];
  heads: { type: unknown; ts: unknown }[];
}

/** Number of lines that are compared to match a transcript. */
const HEADS_MAX = 200;

export interface PlacedTranscripts {
  /** The program's own session file, as it changed. */
  session: RecordedInput[];
  /** One source per transcript, read on demand. */
  transcripts: AsyncGenerator<RecordedInput>[];
}

export async function placeTranscripts(
  folder: string,
  names: readonly string[],
  lost: { lines: number },
): Promise<PlacedTranscripts> {
  const { session, grown } = await readTimes(join(folder, "transcript-times.jsonl"), lost);
  const transcripts: AsyncGenerator<RecordedInput>[] = [];
  for (const path of transcriptsIn(folder, names)) {
    const match = bestMatch(await firstRecords(path), grown);
    if (!match) continue;
    transcripts.push(placed(path, match, lost));
    grown.delete(match.file);
  }
  return { session, transcripts };
}

const transcriptsIn = (folder: string, names: readonly string[]): string[] =>
  names.filter((name) => /^transcript-\d+\.jsonl$/.test(name)).map((name) => join(folder, name));

export interface DatedTranscripts {
  /** Time of the first record with a time; null if there is none. */
  startAt: number | null;
  /** The first records of all of them. */
  head: JsonRecord[];
  /** One source per transcript, each record at its own time. */
  transcripts: (startAt: number) => AsyncGenerator<RecordedInput>[];
}

/** Transcripts without recorded times of growth. */
export async function dateTranscripts(
  folder: string,
  names: readonly string[],
  lost: { lines: number },
): Promise<DatedTranscripts> {
  const paths = transcriptsIn(folder, names);
  const head: JsonRecord[] = [];
  for (const path of paths) head.push(...(await firstRecords(path)).filter((record) => record !== null));
  const times = head.map(recordTime).filter((t) => t !== null);
  return {
    startAt: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null,
    head,
    transcripts: (startAt) => paths.map((path) => dated(path, startAt, lost)),
  };
}

/** A record without a time counts at the one before it. */
async function* dated(path: string, startAt: number, lost: { lines: number }): AsyncGenerator<RecordedInput> {
  let at = startAt;
  for await (const line of readLines(path, lost)) {
    const record = recordOfLine(line, lost);
    if (!record) continue;
    at = Math.max(at, recordTime(record) ?? at);
    yield { t: (at - startAt) / 1000, kind: "record", source: "transcript", file: path, record };
  }
}

async function readTimes(
  path: string,
  lost: { lines: number },
): Promise<{ session: RecordedInput[]; grown: Map<string, Grown> }> {
  const session: RecordedInput[] = [];
  const grown = new Map<string, Grown>();
  for await (const line of readPart(path, lost)) {
    const entry = recordOfLine(line, lost);
    const t = entry?.t;
    const file = entry?.file;
    if (!entry || typeof t !== "number" || typeof file !== "string") continue;
    if (entry.session) session.push({ t, kind: "record", source: "session_file", file, record: entry.session });
    const one = grown.get(file) ?? { file, times: [], heads: [] };
    grown.set(file, one);
    for (const item of arrayAt(entry, "lines")) {
      const { type, ts } = asRecord(item) ?? {};
      if (one.heads.length < HEADS_MAX) one.heads.push({ type, ts });
      one.times.push(t);
    }
  }
  // Sorting is stable: changes of one moment stay in their order.
  return { session: session.sort((a, b) => a.t - b.t), grown };
}

async function* placed(path: string, { file, times }: Grown, lost: { lines: number }): AsyncGenerator<RecordedInput> {
  let i = 0;
  let last = 0;
  for await (const line of readLines(path, lost)) {
    if (line.trim() === "") continue;
    const record = recordOfLine(line, lost);
    last = Math.max(last, times[i++] ?? last);
    if (record) yield { t: last, kind: "record", source: "transcript", file, record };
  }
}

async function firstRecords(path: string): Promise<(JsonRecord | null)[]> {
  const records: (JsonRecord | null)[] = [];
  for await (const line of readLines(path)) {
    if (line.trim() !== "") records.push(parseRecord(line));
    if (records.length >= HEADS_MAX) break;
  }
  return records;
}

/**
 * The file whose described lines are most similar to these records. A history of prompts has no kinds and matches
 * nothing.
 */
function bestMatch(records: readonly (JsonRecord | null)[], grown: ReadonlyMap<string, Grown>): Grown | null {
  let best: Grown | null = null;
  let bestScore = 0;
  for (const one of grown.values()) {
    let score = 0;
    records.forEach((record, i) => {
      const head = one.heads[i];
      if (!record || !head) return;
      if (head.ts !== undefined && head.ts === record.timestamp) score += 2;
      if (head.type !== undefined && head.type === record.type) score += 1;
    });
    if (score > bestScore) {
      best = one;
      bestScore = score;
    }
  }
  return best;
}
