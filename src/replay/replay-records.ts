/** Transcripts after the fact, and event streams: records with times of their own. */
import { resolve } from "node:path";
import { profileFor } from "../agents/registry.js";
import type { Signal } from "../core/signal.js";
import { EventReader } from "../readers/events.js";
import { parseRecord, str } from "../readers/json.js";
import { recordTime } from "../readers/record-reader.js";
import { parseSignal } from "../readers/signal-schema.js";
import { BadInput, readLines } from "./files.js";
import { foldRecording } from "./fold.js";
import { fromArray, type RecordedInput } from "./inputs.js";
import { listener, type Replayed, type ReplayOptions, wouldOf } from "./replay-case.js";

/** How many records are looked at to tell whose transcript it is. */
const PEEK = 50;

/** `t` counts from the first record that has a time; one without a time counts at the record before it. */
export async function replayTranscript(path: string, options: ReplayOptions): Promise<Replayed & { startAt: number }> {
  const records = readRecords(path);
  const head: Record<string, unknown>[] = [];
  for (let next = await records.next(); !next.done; next = await records.next()) {
    head.push(next.value);
    if (head.length >= PEEK) break;
  }
  const startAt = head.map(recordTime).find((t) => t !== null);
  if (startAt === undefined || startAt === null) {
    throw new BadInput(`${path} is no transcript: none of its first ${PEEK} records is a JSON object with a timestamp`);
  }
  const agent = options.agent ?? programOf(head);
  const inputs = (async function* (): AsyncGenerator<RecordedInput> {
    let at = startAt;
    for await (const record of chain(head, records)) {
      at = Math.max(at, recordTime(record) ?? at);
      yield { t: (at - startAt) / 1000, kind: "record", source: "transcript", file: "", record };
    }
  })();
  const profile = profileFor(agent, options.profiles);
  const rehearsal = options.rehearsal?.(profile.id, startAt);
  const folded = await foldRecording(inputs, {
    profile,
    startAt,
    zone: options.zone,
    size: null,
    ...listener(rehearsal),
  });
  const name = path === "-" ? "-" : resolve(path).split("/").slice(-2).join("/");
  const { timeline, signals, skipped } = folded;
  return { case: name, timeline, signals, skipped, meta: {}, ...wouldOf(rehearsal, startAt), startAt };
}

async function* readRecords(path: string): AsyncGenerator<Record<string, unknown>, undefined> {
  for await (const line of readLines(path)) {
    const record = parseRecord(line);
    if (record) yield record;
  }
  return undefined;
}

async function* chain(
  head: readonly Record<string, unknown>[],
  rest: AsyncIterable<Record<string, unknown>>,
): AsyncGenerator<Record<string, unknown>> {
  yield* head;
  yield* rest;
}

/** Whose transcript it is, by the fields that only that program writes. */
function programOf(records: readonly Record<string, unknown>[]): string {
  const has = (...keys: string[]): boolean => records.some((r) => keys.every((k) => k in r));
  if (has("timestamp", "type", "payload")) return "codex";
  if (has("sessionId", "type", "uuid") || has("parentUuid")) return "claude-code";
  if (has("table", "data")) return "opencode";
  if (has("sessionId", "projectHash") || records.some((r) => r.type === "gemini")) return "gemini";
  return "generic";
}

/** Signals as they were stored, one JSON object per line: what a journal keeps. A line that is no signal is counted. */
export async function replaySignals(path: string, options: ReplayOptions): Promise<Replayed> {
  const signals: Signal[] = [];
  let bad = 0;
  for await (const line of readLines(path)) {
    if (line.trim() === "") continue;
    const signal = parseSignal(parseRecord(line));
    if (signal) signals.push(signal);
    else bad++;
  }
  const startAt = signals[0]?.at;
  if (startAt === undefined)
    throw new BadInput(`${path} holds no signals: each line must be a JSON object with kind, at and source`);
  const inputs: RecordedInput[] = signals.map((signal) => ({
    t: Math.max(0, (signal.at - startAt) / 1000),
    kind: "signals",
    signals: [signal],
  }));
  inputs.sort((a, b) => a.t - b.t);
  const profile = profileFor(options.agent ?? "generic", options.profiles);
  const rehearsal = options.rehearsal?.(profile.id, startAt);
  const folded = await foldRecording(fromArray(inputs), {
    profile,
    startAt,
    zone: options.zone,
    size: null,
    ...listener(rehearsal),
  });
  if (bad > 0) folded.skipped.set("damaged line", bad);
  return {
    case: path === "-" ? "-" : resolve(path).split("/").slice(-2).join("/"),
    timeline: folded.timeline,
    signals: folded.signals,
    skipped: folded.skipped,
    meta: {},
    ...wouldOf(rehearsal, startAt),
  };
}

/** One case of a file of event streams: `{id, events: [...]}`. */
export async function replayEvents(
  row: Record<string, unknown>,
  options: Pick<ReplayOptions, "rehearsal"> = {},
): Promise<Pick<Replayed, "case" | "timeline" | "would" | "startAt">> {
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
  const profile = profileFor("generic");
  const rehearsal = options.rehearsal?.(profile.id, 0);
  const folded = await foldRecording(inputs, { profile, startAt: 0, zone: "UTC", size: null, ...listener(rehearsal) });
  return { case: str(row, "id") ?? "", timeline: folded.timeline, ...wouldOf(rehearsal, 0) };
}
