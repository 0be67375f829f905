/**
 * A recorded case: a folder with `meta.json`, the terminal as a cast, transcripts with their growth times, hooks,
 * process samples.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { partOf } from "../programs/part.js";
import { profileFor, programOfRecords } from "../programs/registry.js";
import type { AgentProfile, ProfileOverride } from "../programs/shared/profile.js";
import { type JsonRecord, parseRecord, stringAt } from "../readers/records/json.js";
import { parseSignal } from "../readers/signal-schema.js";
import { whyUnreadable } from "./bad-input.js";
import { openCast } from "./cast.js";
import { BadInput, readLines, readPart, recordOfLine } from "./files.js";
import { fromArray, isOnClock, mergeInputs, onlyFrom, type RecordedInput } from "./inputs.js";
import { dateTranscripts, placeTranscripts } from "./transcript-times.js";

/** The sources that a replay may use, to measure the value of each alone. */
export const SOURCE_NAMES = ["screen", "transcript", "hooks", "stream", "session", "process"] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

const PROCESS = "process.jsonl";
/** Files of which any one is enough to judge by. */
const RECORDING = /^(?:session\.cast(?:\.gz)?|transcript-(?:\d+|db)\.jsonl|process\.jsonl)$/;

export interface CaseFolder {
  /** The last two parts of its path. */
  name: string;
  profile: AgentProfile;
  startAt: number;
  size: { cols: number; rows: number } | null;
  inputs: AsyncIterable<RecordedInput>;
  /** Lines that could not be read, once the inputs were. */
  lost: () => number;
  /** `meta.json` unchanged, for scoring. */
  meta: Record<string, unknown>;
}

export async function isCaseFolder(path: string): Promise<boolean> {
  const names: string[] = await readdir(path).catch(() => []);
  return names.some((name) => name === "meta.json" || RECORDING.test(name));
}

export async function openCase(
  path: string,
  sources: ReadonlySet<SourceName>,
  own: readonly ProfileOverride[] = [],
): Promise<CaseFolder> {
  const names = await readdir(path).catch((error: Error) => {
    throw new BadInput(whyUnreadable(path, error));
  });
  const meta = names.includes("meta.json") ? await readMeta(path) : {};
  const headless = meta.mode === "headless";
  const cast = names.find((n) => n === "session.cast.gz") ?? names.find((n) => n === "session.cast");
  if (!names.some((name) => RECORDING.test(name))) {
    throw new BadInput(
      `${path} is not a case folder: it has neither session.cast[.gz] nor transcript-*.jsonl nor ${PROCESS}`,
    );
  }
  const opened = cast ? await openCast(join(path, cast), headless) : null;
  const lost = { lines: 0 };
  const undated = names.includes("transcript-times.jsonl") ? null : await dateTranscripts(path, names, lost);
  const profile = profileFor(
    stringAt(meta, "agent") ?? programOfRecords(undated?.head ?? []).profile.id,
    own,
    stringAt(meta, "version"),
  );
  const startAt = opened?.header.startAt || recordedAt(meta) || (undated?.startAt ?? 0);
  const terminal = opened !== null && !headless && sources.has("screen");
  const parts: AsyncIterable<RecordedInput>[] = [];
  if (opened) parts.push(onlyFrom(opened.inputs, terminal, headless && sources.has("stream")));
  if (names.includes("transcript-times.jsonl")) {
    const { session, transcripts } = await placeTranscripts(path, names, lost);
    if (sources.has("session")) parts.push(fromArray(session));
    if (sources.has("transcript")) parts.push(...transcripts);
  }
  if (undated && sources.has("transcript")) parts.push(...undated.transcripts(startAt));
  if (sources.has("transcript") && names.includes("transcript-db.jsonl"))
    parts.push(fromArray(await databaseRows(join(path, "transcript-db.jsonl"), startAt, lost)));
  if (sources.has("hooks") && names.includes("hooks.jsonl"))
    parts.push(fromArray(await hookRecords(join(path, "hooks.jsonl"), lost)));
  if (sources.has("process") && names.includes(PROCESS)) parts.push(processSamples(join(path, PROCESS), startAt, lost));
  parts.push(fromArray(exitOf(meta)), fromArray(endOfCase(meta)));
  return {
    name: resolve(path).split("/").slice(-2).join("/"),
    profile,
    startAt,
    size: terminal && opened ? sizeOf(meta, opened.header) : null,
    inputs: mergeInputs(parts),
    lost: () => lost.lines + (opened?.skipped() ?? 0),
    meta,
  };
}

export async function readMeta(path: string): Promise<Record<string, unknown>> {
  const file = join(path, "meta.json");
  const text = await readSmall(file).catch((error: Error) => {
    throw error instanceof BadInput ? error : new BadInput(`cannot read ${file}: ${error.message}`);
  });
  const meta = parseRecord(text);
  if (!meta) throw new BadInput(`${file} is not a JSON object`);
  return meta;
}

async function readSmall(file: string): Promise<string> {
  if ((await stat(file)).size > 10_000_000)
    throw new BadInput(`${file} is larger than 10 MB, too large for a meta.json`);
  return readFile(file, "utf8");
}

function sizeOf(meta: Record<string, unknown>, header: { cols: number; rows: number }): { cols: number; rows: number } {
  const size = meta.size;
  if (Array.isArray(size) && typeof size[0] === "number" && typeof size[1] === "number")
    return { cols: size[0], rows: size[1] };
  return { cols: header.cols, rows: header.rows };
}

/** For a recording without a terminal, which has no header with the start time. */
function recordedAt(meta: Record<string, unknown>): number {
  const at = Date.parse(stringAt(meta, "recorded_at") ?? "");
  return isOnClock(at / 1000) ? at : 0;
}

function exitOf(meta: Record<string, unknown>): RecordedInput[] {
  const t = meta.t_exit;
  if (typeof t !== "number") return [];
  const number = (value: unknown): number | null => (typeof value === "number" ? value : null);
  return [{ t, kind: "exit", code: number(meta.exit), signal: number(meta.signal) }];
}

/** The end of the recording: a silent program wrote its last byte long before. */
const endOfCase = ({ t_end: t }: Record<string, unknown>): RecordedInput[] =>
  typeof t === "number" ? [{ t, kind: "end" }] : [];

async function hookRecords(path: string, lost: { lines: number }): Promise<RecordedInput[]> {
  const inputs: RecordedInput[] = [];
  for await (const line of readPart(path, lost)) {
    const record = recordOfLine(line, lost);
    if (!record || typeof record.t !== "number") continue;
    const { t, notify, ...payload } = record;
    inputs.push({ t: t as number, kind: "record", source: "hook", file: "", record: notify ?? payload });
  }
  return inputs.sort((a, b) => a.t - b.t);
}

async function databaseRows(path: string, startAt: number, lost: { lines: number }): Promise<RecordedInput[]> {
  const rows: JsonRecord[] = [];
  for await (const line of readPart(path, lost)) {
    const record = recordOfLine(line, lost);
    if (record) rows.push(record);
  }
  const transcripts = partOf(programOfRecords(rows).transcript);
  const database = transcripts && partOf(transcripts.database);
  if (!database) return [];
  return (await database()).readAll(rows).map(({ at, signals }) => {
    const t = Math.max(0, (at - startAt) / 1000);
    return { t, kind: "signals", signals: signals.map((s) => ({ ...s, at: startAt + t * 1000 })) };
  });
}

/** A line about a lack of CPU instead of a sample. */
function starvedSpan({ starvedMs, withinMs }: JsonRecord, at: number): object | null {
  if (typeof starvedMs !== "number" || typeof withinMs !== "number") return null;
  return { kind: "gap", source: "process", at, from: at - withinMs, to: at, lostMs: starvedMs };
}

/** One per second of the recording, so they are read on demand. */
async function* processSamples(path: string, startAt: number, lost: { lines: number }): AsyncGenerator<RecordedInput> {
  let last = 0;
  for await (const line of readLines(path, lost)) {
    const { t, ...sample } = parseRecord(line) ?? {};
    if (typeof t !== "number" || !isOnClock(t)) {
      if (line.trim() !== "") lost.lines++;
      continue;
    }
    last = Math.max(last, t);
    const at = startAt + last * 1000;
    const signal = parseSignal(starvedSpan(sample, at) ?? { ...sample, kind: "process", source: "process", at });
    if (signal) yield { t: last, kind: "signals", signals: [signal] };
    else lost.lines++;
  }
}
