/**
 * Places the lines of recorded transcripts on the recording's clock. `transcript-times.jsonl` says at which second
 * which file grew by which lines; which `transcript-N.jsonl` that file became is found by comparing the lines' kinds
 * and times. Lines are counted, never bytes: long texts were cut from the transcripts afterwards.
 */
import { join } from "node:path";
import { parseRecord } from "../readers/json.js";
import { readLines } from "./files.js";
import type { RecordedInput } from "./inputs.js";

interface Grown {
  t: number;
  type: unknown;
  ts: unknown;
}

export async function placeTranscripts(folder: string, names: readonly string[]): Promise<RecordedInput[]> {
  const inputs: RecordedInput[] = [];
  const grown = new Map<string, Grown[]>();
  for await (const line of readLines(join(folder, "transcript-times.jsonl"))) {
    const entry = parseRecord(line);
    const t = entry?.["t"];
    const file = entry?.["file"];
    if (!entry || typeof t !== "number" || typeof file !== "string") continue;
    if (entry["session"]) inputs.push({ t, kind: "record", source: "session_file", file, record: entry["session"] });
    if (!Array.isArray(entry["lines"])) continue;
    const lines = grown.get(file) ?? [];
    for (const item of entry["lines"] as unknown[]) {
      const described = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
      lines.push({ t, type: described["type"], ts: described["ts"] });
    }
    grown.set(file, lines);
  }
  for (const name of names.filter((n) => /^transcript-\d+\.jsonl$/.test(n))) {
    const records = await readRecords(join(folder, name));
    const times = bestMatch(records, grown);
    if (!times) continue;
    records.forEach((record, i) => {
      const t = (times.lines[i] ?? times.lines.at(-1))?.t;
      if (record && t !== undefined) inputs.push({ t, kind: "record", source: "transcript", file: times.file, record });
    });
    grown.delete(times.file);
  }
  // Sorting is stable: lines of one moment stay in their order.
  return inputs.sort((a, b) => a.t - b.t);
}

async function readRecords(path: string): Promise<(Record<string, unknown> | null)[]> {
  const records: (Record<string, unknown> | null)[] = [];
  for await (const line of readLines(path)) if (line.trim() !== "") records.push(parseRecord(line));
  return records;
}

/** The file whose described lines are most like these records. A history of prompts has no kinds and fits nothing. */
function bestMatch(
  records: readonly (Record<string, unknown> | null)[],
  grown: ReadonlyMap<string, Grown[]>,
): { file: string; lines: Grown[] } | null {
  let best: { file: string; lines: Grown[] } | null = null;
  let bestScore = 0;
  for (const [file, lines] of grown) {
    let score = 0;
    records.slice(0, 200).forEach((record, i) => {
      const line = lines[i];
      if (!record || !line) return;
      if (line.ts !== undefined && line.ts === record["timestamp"]) score += 2;
      if (line.type !== undefined && line.type === record["type"]) score += 1;
    });
    if (score > bestScore) {
      best = { file, lines };
      bestScore = score;
    }
  }
  return best;
}
