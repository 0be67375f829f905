/**
 * Places the lines of recorded transcripts on the recording's clock. `transcript-times.jsonl` says at which second
 * which file grew by which lines; which `transcript-N.jsonl` that file became is found by comparing the lines' kinds
 * and times. Lines are counted, never bytes: long texts were cut from the transcripts afterwards.
 */
import { join } from "node:path";
import { arr, asRecord, parseRecord } from "../readers/json.js";
import { readLines, readPart } from "./files.js";
import type { RecordedInput } from "./inputs.js";

/** How one file grew: when each of its lines came, and what the first ones were. */
interface Grown {
  file: string;
  times: number[];
  heads: { type: unknown; ts: unknown }[];
}

/** So many lines are compared to tell whose lines they are. */
const HEADS_MAX = 200;

export interface PlacedTranscripts {
  /** The program's own session file, as it changed. */
  session: RecordedInput[];
  /** One source per transcript, read as it is asked for. */
  transcripts: AsyncGenerator<RecordedInput>[];
}

export async function placeTranscripts(
  folder: string,
  names: readonly string[],
  lost: { lines: number },
): Promise<PlacedTranscripts> {
  const { session, grown } = await readTimes(join(folder, "transcript-times.jsonl"), lost);
  const transcripts: AsyncGenerator<RecordedInput>[] = [];
  for (const name of names.filter((n) => /^transcript-\d+\.jsonl$/.test(n))) {
    const path = join(folder, name);
    const match = bestMatch(await firstRecords(path), grown);
    if (!match) continue;
    transcripts.push(placed(path, match, lost));
    grown.delete(match.file);
  }
  return { session, transcripts };
}

async function readTimes(
  path: string,
  lost: { lines: number },
): Promise<{ session: RecordedInput[]; grown: Map<string, Grown> }> {
  const session: RecordedInput[] = [];
  const grown = new Map<string, Grown>();
  for await (const line of readPart(path, lost)) {
    const entry = parseRecord(line);
    const t = entry?.t;
    const file = entry?.file;
    if (!entry || typeof t !== "number" || typeof file !== "string") continue;
    if (entry.session) session.push({ t, kind: "record", source: "session_file", file, record: entry.session });
    const one = grown.get(file) ?? { file, times: [], heads: [] };
    grown.set(file, one);
    for (const item of arr(entry, "lines")) {
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
    const record = parseRecord(line);
    last = Math.max(last, times[i++] ?? last);
    if (record) yield { t: last, kind: "record", source: "transcript", file, record };
  }
}

async function firstRecords(path: string): Promise<(Record<string, unknown> | null)[]> {
  const records: (Record<string, unknown> | null)[] = [];
  for await (const line of readLines(path)) {
    if (line.trim() !== "") records.push(parseRecord(line));
    if (records.length >= HEADS_MAX) break;
  }
  return records;
}

/** The file whose described lines are most like these records. A history of prompts has no kinds and fits nothing. */
function bestMatch(
  records: readonly (Record<string, unknown> | null)[],
  grown: ReadonlyMap<string, Grown>,
): Grown | null {
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
