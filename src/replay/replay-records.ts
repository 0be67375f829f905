/** Replays finished transcripts and event streams: records with times of their own. */
import { resolve } from "node:path";
import type { Signal } from "../core/signal.js";
import { partOf } from "../programs/part.js";
import { KINDS, profileFor, programOfRecords, unfoldDocument } from "../programs/registry.js";
import type { DatabaseCode } from "../programs/transcript.js";
import { EventReader } from "../readers/records/events.js";
import { parseRecord, stringAt } from "../readers/records/json.js";
import { recordTime } from "../readers/records/record-reader.js";
import { parseSignal } from "../readers/signal-schema.js";
import { BadInput, readLines, readRecords, type SizedRecord, upToPart } from "./files.js";
import { foldRecording } from "./fold.js";
import { fromArray, type RecordedInput } from "./inputs.js";
import { type ReplayOptions, type ReplayResult, replayContextOf, whatIfOf } from "./replay-case.js";

/** Number of records that are read to recognise the program of a transcript. */
const PEEK = 50;

/** Nothing follows the last record: long enough for an end that it suggests to be believed. */
const REST_S = 12;

/** `t` counts from the first record with a time; a record without a time counts at the one before it. */
export async function replayTranscript(
  path: string,
  options: ReplayOptions,
): Promise<ReplayResult & { startAt: number }> {
  const lost = { lines: 0 };
  const records = readRecords(path, lost, unfoldDocument);
  const head: Record<string, unknown>[] = [];
  for (let next = await records.next(); !next.done; next = await records.next()) {
    head.push(next.value.record);
    if (head.length >= PEEK) break;
  }
  const program = programOfRecords(head);
  const transcripts = partOf(program.transcript);
  const isStream = transcripts?.isStream(head) ?? false;
  const database = isStream ? null : transcripts && partOf(transcripts.database);
  const { startAt, inputs, seen } = database
    ? await rowInputs(await database(), head, records, lost)
    : recordInputs(head, records, isStream ? "stream" : "transcript");
  if (startAt === null) {
    throw new BadInput(
      `${path} is not a transcript: none of its first ${PEEK} records is a JSON object with a timestamp`,
    );
  }
  const profile = profileFor(options.agent ?? program.profile.id, options.profiles);
  const acted = whatIfOf(options, profile.id, startAt);
  const folded = await foldRecording(inputs, {
    profile,
    startAt,
    ...replayContextOf(options),
    size: null,
    ...acted.options,
  });
  if (unknownIn(folded.skipped) >= seen.records)
    throw new BadInput(
      `${path} is not a transcript that rouse can read: it understood none of the records; supported programs: ${KINDS.join(", ")}`,
    );
  if (lost.lines > 0) folded.skipped.set("damaged line", lost.lines);
  const name = path === "-" ? "-" : resolve(path).split("/").slice(-2).join("/");
  const { timeline, signals, skipped } = folded;
  return { case: name, kind: profile.id, timeline, signals, skipped, meta: {}, ...acted.result(), startAt };
}

/** Records of unknown kinds. A copy and another thread's records are known, and left out. */
function unknownIn(skipped: ReadonlyMap<string, number>): number {
  const known = new Set(["impossible time", "copy", "foreign thread"]);
  return [...skipped].reduce((sum, [kind, n]) => (known.has(kind) ? sum : sum + n), 0);
}

interface Dated {
  startAt: number | null;
  inputs: AsyncIterable<RecordedInput>;
  /** Their number, after the inputs were read. */
  seen: { records: number };
}

/** Records in the order of the file, each at its own time. */
function recordInputs(
  head: Record<string, unknown>[],
  rest: AsyncIterable<SizedRecord>,
  source: "transcript" | "stream",
): Dated {
  const startAt = head.map(recordTime).find((t) => t !== null) ?? null;
  const seen = { records: 0 };
  const inputs = (async function* (): AsyncGenerator<RecordedInput> {
    let at = startAt ?? 0;
    const start = at;
    const placed = (record: Record<string, unknown>): RecordedInput => {
      at = Math.max(at, recordTime(record) ?? at);
      seen.records++;
      return { t: (at - start) / 1000, kind: "record", source, file: "", record };
    };
    for (const record of head) yield placed(record);
    for await (const { record } of rest) yield placed(record);
    yield { t: (at - start) / 1000 + REST_S, kind: "end" };
  })();
  return { startAt, inputs, seen };
}

/** Rows of a database are not ordered by time, so they are all read first, up to a limit. */
async function rowInputs(
  { readAll }: DatabaseCode,
  head: readonly Record<string, unknown>[],
  rest: AsyncIterable<SizedRecord>,
  lost: { lines: number },
): Promise<Dated> {
  const rows = [...head];
  for await (const { record } of upToPart(rest, ({ chars }) => chars, lost)) rows.push(record);
  const timed = readAll(rows);
  const startAt = timed[0]?.at ?? null;
  const inputs = timed.map(
    ({ at, signals }): RecordedInput => ({ t: (at - (startAt ?? 0)) / 1000, kind: "signals", signals }),
  );
  return { startAt, inputs: fromArray(inputs), seen: { records: rows.length } };
}

/**
 * Stored signals, one JSON object per line, as in a journal. They are read on demand, in their order; one with an
 * earlier time counts at the time of the line before it. A line that is not a signal is counted.
 */
export async function replaySignals(path: string, options: ReplayOptions): Promise<ReplayResult> {
  const lost = { lines: 0 };
  const signals = readSignals(path, lost);
  const first = await signals.next();
  if (first.done)
    throw new BadInput(`${path} contains no signals: each line must be a JSON object with kind, at and source`);
  const startAt = first.value.at;
  const inputs = (async function* (): AsyncGenerator<RecordedInput> {
    let t = 0;
    for (let next: IteratorResult<Signal, undefined> = first; !next.done; next = await signals.next()) {
      t = Math.max(t, (next.value.at - startAt) / 1000);
      yield { t, kind: "signals", signals: [next.value] };
    }
  })();
  const profile = profileFor(options.agent ?? "generic", options.profiles);
  const acted = whatIfOf(options, profile.id, startAt);
  const folded = await foldRecording(inputs, {
    profile,
    startAt,
    ...replayContextOf(options),
    size: null,
    ...acted.options,
  });
  if (lost.lines > 0) folded.skipped.set("damaged line", lost.lines);
  return {
    case: path === "-" ? "-" : resolve(path).split("/").slice(-2).join("/"),
    kind: profile.id,
    timeline: folded.timeline,
    signals: folded.signals,
    skipped: folded.skipped,
    meta: {},
    ...acted.result(),
  };
}

async function* readSignals(path: string, lost: { lines: number }): AsyncGenerator<Signal, undefined> {
  for await (const line of readLines(path, lost)) {
    if (line.trim() === "") continue;
    const signal = parseSignal(parseRecord(line));
    if (signal) yield signal;
    else lost.lines++;
  }
  return undefined;
}

/** One case of a file of event streams: `{id, events: [...]}`. */
export async function replayEvents(
  row: Record<string, unknown>,
  options: Partial<ReplayOptions> = {},
): Promise<Pick<ReplayResult, "case" | "kind" | "timeline" | "skipped" | "wouldDo" | "startAt">> {
  const reader = new EventReader();
  const events = Array.isArray(row.events) ? (row.events as unknown[]) : [];
  const inputs = (async function* (): AsyncGenerator<RecordedInput> {
    let t = 0;
    for (const event of events) {
      const signals = reader.read(event);
      t = Math.max(t, (signals[0]?.at ?? t * 1000) / 1000);
      if (signals.length > 0) yield { t, kind: "signals", signals };
    }
  })();
  const profile = profileFor(options.agent ?? "generic", options.profiles);
  const acted = whatIfOf(options, profile.id, 0);
  const folded = await foldRecording(inputs, { profile, startAt: 0, zone: "UTC", size: null, ...acted.options });
  for (const [kind, times] of reader.skipped) folded.skipped.set(kind, times);
  const { timeline, skipped } = folded;
  return { case: stringAt(row, "id") ?? "", kind: profile.id, timeline, skipped, ...acted.result() };
}
