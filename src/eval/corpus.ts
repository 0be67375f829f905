/** Replays a labelled corpus and hands truth and timelines to the scorer. */

import { readMeta } from "../replay/case-folder.js";
import { BadInput } from "../replay/files.js";
import { type ReplayOptions, replayCase } from "../replay/replay-case.js";
import { replayEvents, replayTranscript } from "../replay/replay-records.js";
import { judgeScreen } from "../replay/replay-screens.js";
import { type EventFigures, scoreEvents } from "./events.js";
import { type LiveCase, type LiveFigures, scoreLive } from "./live.js";
import { type ScreenFigures, scoreScreens } from "./screens.js";
import { type SegmentTruth, type SessionFigures, scoreSessions } from "./sessions.js";
import { parseEventTruth, parseLiveTruth, parseScreenTruth, parseSegmentTruth } from "./truth.js";

type Row = Record<string, unknown>;
type Step = (label: string) => void;
/** Calls back with each row of a file, in its order. */
type Rows = (each: (row: Row) => unknown) => Promise<unknown>;

/** What a corpus is: the scores, and what could not be scored. */
export interface Scored<T> {
  figures: T;
  /** Cases whose truth does not fit or is not told. */
  unlabelled: number;
  /** Why a recording could not be read. What is known to have been wrong in it counts as missed. */
  unread: string[];
}

export async function evalLive(
  paths: readonly string[],
  options: ReplayOptions,
  step: Step,
): Promise<Scored<LiveFigures>> {
  const cases: LiveCase[] = [];
  const unread: string[] = [];
  let unlabelled = 0;
  for (const path of paths) {
    step(nameOf(path));
    const replayed = await orComplaint(replayCase(path, options), unread);
    const truth = parseLiveTruth(replayed?.meta ?? (await readMeta(path).catch(() => null)));
    if (truth && truth.timeline.length > 0)
      cases.push({ name: replayed?.case ?? nameOf(path), truth, timeline: replayed?.timeline ?? null });
    else if (replayed) unlabelled++;
  }
  return { figures: scoreLive(cases), unlabelled, unread };
}

export async function evalEvents(rows: Rows, step: Step): Promise<Scored<EventFigures>> {
  const cases: Parameters<typeof scoreEvents>[0][number][] = [];
  let unlabelled = 0;
  await rows(async (row) => {
    const truth = parseEventTruth(row);
    step(truth?.id ?? "");
    if (truth) cases.push({ truth, timeline: (await replayEvents(row)).timeline });
    else unlabelled++;
  });
  return { figures: scoreEvents(cases), unlabelled, unread: [] };
}

export async function evalScreens(rows: Rows, step: Step): Promise<Scored<ScreenFigures>> {
  const cases: Parameters<typeof scoreScreens>[0][number][] = [];
  let unlabelled = 0;
  await rows((row) => {
    const truth = parseScreenTruth(row);
    step(truth?.id ?? "");
    if (truth) cases.push({ truth, verdict: judgeScreen(row) });
    else unlabelled++;
  });
  return { figures: scoreScreens(cases), unlabelled, unread: [] };
}

/** Labelled stretches by the transcript that they are of, `folder` being where its path begins. */
export interface Segments {
  byFile: Map<string, { folder: string; segments: SegmentTruth[] }>;
  unlabelled: number;
}

export async function readSegments(folder: string, rows: Rows, into: Segments): Promise<void> {
  await rows((row) => {
    const segment = parseSegmentTruth(row);
    if (!segment) {
      into.unlabelled++;
      return;
    }
    const key = `${folder}/${segment.file}`;
    const known = into.byFile.get(key);
    if (known) known.segments.push(segment);
    else into.byFile.set(key, { folder, segments: [segment] });
  });
}

export async function evalSessions(
  { byFile, unlabelled }: Segments,
  options: ReplayOptions,
  step: Step,
): Promise<Scored<SessionFigures>> {
  const cases: Parameters<typeof scoreSessions>[0][number][] = [];
  const unread: string[] = [];
  for (const [path, { folder, segments }] of byFile) {
    step(path.split("/").at(-1) ?? path);
    const replayed = await orComplaint(replayTranscript(path, options), unread);
    cases.push({ file: path.slice(folder.length + 1), segments, timeline: replayed?.timeline ?? null });
  }
  return { figures: scoreSessions(cases), unlabelled, unread };
}

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
