/** Replays a labelled corpus and passes truth and timelines to the scorer. */

import { stringAt } from "../readers/records/json.js";
import { readResetTime } from "../readers/reset-time/reset-time.js";
import { readMeta } from "../replay/case-folder.js";
import { BadInput } from "../replay/files.js";
import { type ReplayOptions, replayCase } from "../replay/replay-case.js";
import { replayEvents, replayTranscript } from "../replay/replay-records.js";
import { type EventFigures, scoreEvents } from "./events.js";
import { type LiveCase, type LiveFigures, scoreLive } from "./live.js";
import { LIVE_LABELS } from "./live-labels.js";
import { type ResetCase, type ResetFigures, scoreResetTimes } from "./reset-times.js";
import { SEGMENT_LABELS, type SegmentTruth, type SessionFigures, scoreSessions } from "./sessions.js";
import { parseEventTruth, parseLiveTruth, parseResetTruth, parseSegmentTruth } from "./truth.js";

type CorpusRow = Record<string, unknown>;
type CorpusStep = (label: string) => void;
/** Calls back with each row of a file, in its order. */
type Rows = (each: (row: CorpusRow) => unknown) => Promise<unknown>;

/** The scores of a corpus, and the cases that could not be scored. */
export interface CorpusScore<T> {
  figures: T;
  /** Cases without a valid label, by name: not scored. */
  unlabelled: string[];
  /** Unknown labels in cases that are scored without those stretches: `claude/normal "wrking"`. */
  strange: string[];
  /** Why a recording could not be read. Its known problems count as missed. */
  unread: string[];
}

export async function evalLive(
  paths: readonly string[],
  options: ReplayOptions,
  step: CorpusStep,
): Promise<CorpusScore<LiveFigures>> {
  const cases: LiveCase[] = [];
  const unread: string[] = [];
  const unlabelled: string[] = [];
  const strange: string[] = [];
  for (const path of paths) {
    step(nameOf(path));
    const replayed = await orComplaint(replayCase(path, options), unread);
    const truth = parseLiveTruth(replayed?.meta ?? (await readMeta(path).catch(() => null)));
    const labels = [...new Set(truth?.timeline.map(([, label]) => label))];
    const unknown = labels.filter((label) => !LIVE_LABELS.includes(label));
    const name = replayed?.case ?? nameOf(path);
    if (truth && unknown.length < labels.length) {
      cases.push({ name, truth, timeline: replayed?.timeline ?? null });
      strange.push(...unknown.map((label) => inWords(name, label)));
    } else if (replayed) unlabelled.push(inWords(name, unknown[0]));
  }
  return { figures: scoreLive(cases), unlabelled, strange, unread };
}

export async function evalEvents(
  rows: Rows,
  options: ReplayOptions,
  step: CorpusStep,
): Promise<CorpusScore<EventFigures>> {
  const cases: Parameters<typeof scoreEvents>[0][number][] = [];
  const unlabelled: string[] = [];
  await rows(async (row) => {
    const truth = parseEventTruth(row);
    step(truth?.id ?? "");
    if (truth) cases.push({ truth, timeline: (await replayEvents(row, options)).timeline });
    else unlabelled.push(idOf(row));
  });
  return { figures: scoreEvents(cases), unlabelled, strange: [], unread: [] };
}

/** The texts of single screens, read by the same reader of reset times as live screens. */
export async function evalResetTimes(
  rows: Rows,
  { zone }: Pick<ReplayOptions, "zone">,
  step: CorpusStep,
): Promise<CorpusScore<ResetFigures>> {
  const cases: ResetCase[] = [];
  const unlabelled: string[] = [];
  await rows((row) => {
    const truth = parseResetTruth(row);
    step(truth?.id ?? "");
    if (truth === null) unlabelled.push(idOf(row));
    else if (truth.until !== null) {
      const read = readResetTime(truth.text, truth.now, truth.zone ?? zone);
      cases.push({ truth: { ...truth, until: truth.until }, until: read && new Date(read.until).toISOString() });
    }
  });
  return { figures: scoreResetTimes(cases), unlabelled, strange: [], unread: [] };
}

/** Labelled segments by transcript; `folder` is the start of its path. */
export interface Segments {
  byFile: Map<string, { folder: string; segments: SegmentTruth[] }>;
  unlabelled: string[];
  strange: string[];
}

export async function readSegments(folder: string, rows: Rows, into: Segments): Promise<void> {
  await rows((row) => {
    const segment = parseSegmentTruth(row);
    if (!segment) {
      into.unlabelled.push(stringAt(row, "file") ?? "");
      return;
    }
    if (!SEGMENT_LABELS.includes(segment.label)) into.strange.push(inWords(segment.file, segment.label));
    const key = `${folder}/${segment.file}`;
    const known = into.byFile.get(key);
    if (known) known.segments.push(segment);
    else into.byFile.set(key, { folder, segments: [segment] });
  });
}

export async function evalSessions(
  { byFile, unlabelled, strange }: Segments,
  options: ReplayOptions,
  step: CorpusStep,
): Promise<CorpusScore<SessionFigures>> {
  const cases: Parameters<typeof scoreSessions>[0][number][] = [];
  const unread: string[] = [];
  for (const [path, { folder, segments }] of byFile) {
    step(path.split("/").at(-1) ?? path);
    const replayed = await orComplaint(replayTranscript(path, options), unread);
    cases.push({ file: path.slice(folder.length + 1), segments, timeline: replayed?.timeline ?? null });
  }
  return { figures: scoreSessions(cases), unlabelled, strange, unread };
}

/** The name of a case, with its unknown label. */
const inWords = (name: string, label?: string): string =>
  label === undefined ? name : `${name} ${JSON.stringify(label)}`;

const idOf = (row: CorpusRow): string => stringAt(row, "id") ?? "(no id)";

const nameOf = (path: string): string => path.split("/").slice(-2).join("/");

async function orComplaint<T>(replayed: Promise<T>, complaints: string[]): Promise<T | null> {
  try {
    return await replayed;
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    complaints.push(error.message);
    return null;
  }
}
