/** Replays a labelled corpus and hands truth and timelines to the scorer. */

import { BadInput } from "../replay/files.js";
import { type ReplayOptions, replayCase } from "../replay/replay-case.js";
import { replayEvents, replayTranscript } from "../replay/replay-records.js";
import { judgeScreen } from "../replay/replay-screens.js";
import { type EventFigures, scoreEvents } from "./events.js";
import { type LiveCase, type LiveFigures, scoreLive } from "./live.js";
import { type ScreenFigures, scoreScreens } from "./screens.js";
import { type SegmentTruth, type SessionFigures, scoreSessions } from "./sessions.js";
import { parseEventTruth, parseLiveTruth, parseScreenTruth, parseSegmentTruth } from "./truth.js";

type Step = (label: string) => void;
type Rows = (each: (row: Record<string, unknown>) => unknown) => Promise<unknown>;

export async function evalLive(paths: readonly string[], options: ReplayOptions, step: Step): Promise<LiveFigures> {
  const cases: LiveCase[] = [];
  for (const path of paths) {
    step(path.split("/").slice(-2).join("/"));
    const replayed = await replayCase(path, options).catch((error: unknown) => {
      if (!(error instanceof BadInput)) throw error;
      process.stderr.write(`rouse: ${error.message}\n`);
      return null;
    });
    const truth = replayed && parseLiveTruth(replayed.meta);
    if (truth) cases.push({ name: replayed.case, truth, timeline: replayed.timeline });
  }
  return scoreLive(cases);
}

export async function evalEvents(rows: Rows): Promise<EventFigures> {
  const cases: Parameters<typeof scoreEvents>[0][number][] = [];
  await rows(async (row) => {
    const truth = parseEventTruth(row);
    if (truth) cases.push({ truth, timeline: (await replayEvents(row)).timeline });
  });
  return scoreEvents(cases);
}

export async function evalScreens(rows: Rows): Promise<ScreenFigures> {
  const cases: Parameters<typeof scoreScreens>[0][number][] = [];
  await rows((row) => {
    const truth = parseScreenTruth(row);
    if (truth) cases.push({ truth, verdict: judgeScreen(row) });
  });
  return scoreScreens(cases);
}

export async function evalSessions(
  corpus: string,
  rows: Rows,
  options: ReplayOptions,
  step: Step,
): Promise<SessionFigures> {
  const byFile = new Map<string, SegmentTruth[]>();
  await rows((row) => {
    const segment = parseSegmentTruth(row);
    if (!segment) return;
    const list = byFile.get(segment.file) ?? [];
    list.push(segment);
    byFile.set(segment.file, list);
  });
  const cases: Parameters<typeof scoreSessions>[0][number][] = [];
  for (const [file, segments] of byFile) {
    step(file.split("/").at(-1) ?? file);
    const replayed = await replayTranscript(`${corpus}/${file}`, options).catch((error: unknown) => {
      if (!(error instanceof BadInput)) throw error;
      process.stderr.write(`rouse: ${error.message}\n`);
      return null;
    });
    cases.push({ file, segments, timeline: replayed?.timeline ?? null });
  }
  return scoreSessions(cases);
}
