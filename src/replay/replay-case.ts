/** One recording in, one explained timeline out. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ProfileOverride } from "../agents/profile.js";
import { profileFor } from "../agents/registry.js";
import { type Rehearsal, rehearse, type Would } from "../core/rehearse.js";
import type { TimelineEntry } from "../core/timeline.js";
import { whyUnreadable } from "./bad-input.js";
import { openCase, type SourceName } from "./case-folder.js";
import { openCast } from "./cast.js";
import { BadInput } from "./files.js";
import { type FoldOptions, foldRecording } from "./fold.js";
import { onlyFrom } from "./inputs.js";

export interface ReplayOptions {
  sources: ReadonlySet<SourceName>;
  /** IANA zone for clock times without one. */
  zone: string;
  /** What agents were asked to write when all is done. */
  marker?: string;
  /** Kind of program, where the recording itself does not say. */
  agent?: string;
  profiles?: readonly ProfileOverride[];
  /** Listens to every assessment of one recording: what a policy would have done. A start of 0 is one that nobody knows. */
  rehearsal?: (program: string, startAt: number) => Rehearsal;
}

export interface Replayed {
  case: string;
  /** Id of the profile that it was read by. */
  kind: string;
  timeline: TimelineEntry[];
  signals: number;
  /** Records that no reader knows, by kind; and lines that could not be read. */
  skipped: Map<string, number>;
  meta: Record<string, unknown>;
  would?: Would[];
  startAt?: number;
}

export async function replayCase(path: string, options: ReplayOptions): Promise<Replayed> {
  const opened = await openCase(path, options.sources, options.profiles);
  const profile = options.agent ? profileFor(options.agent, options.profiles) : opened.profile;
  const rehearsal = options.rehearsal?.(profile.id, opened.startAt);
  const folded = await foldRecording(opened.inputs, {
    profile,
    startAt: opened.startAt,
    ...placeOf(options),
    size: opened.size,
    ...listener(rehearsal),
  });
  if (opened.lost() > 0) folded.skipped.set("damaged line", opened.lost());
  return {
    case: opened.name,
    kind: profile.id,
    timeline: folded.timeline,
    signals: folded.signals,
    skipped: folded.skipped,
    meta: opened.meta,
    ...wouldOf(rehearsal, opened.startAt),
  };
}

/** A bare recording of a terminal; `-` reads standard input. */
export async function replayCast(path: string, options: ReplayOptions): Promise<Replayed> {
  const cast = await openCast(path, false);
  const profile = profileFor(options.agent ?? cast.header.program ?? "generic", options.profiles);
  const rehearsal = options.rehearsal?.(profile.id, cast.header.startAt);
  const isSeen = options.sources.has("screen");
  const folded = await foldRecording(onlyFrom(cast.inputs, isSeen, false), {
    profile,
    startAt: cast.header.startAt,
    ...placeOf(options),
    size: isSeen ? cast.header : null,
    ...listener(rehearsal),
  });
  if (cast.skipped() > 0) folded.skipped.set("damaged line", cast.skipped());
  const name = path === "-" ? "-" : resolve(path).split("/").slice(-2).join("/");
  const { timeline, signals, skipped } = folded;
  const would = wouldOf(rehearsal, cast.header.startAt);
  return { case: name, kind: profile.id, timeline, signals, skipped, meta: {}, ...would };
}

export function listener(rehearsal: Rehearsal | undefined): Pick<FoldOptions, "onAssessed"> {
  return rehearsal ? { onAssessed: (assessment, evidence) => rehearse(rehearsal, assessment, evidence) } : {};
}

export function wouldOf(rehearsal: Rehearsal | undefined, startAt: number): Pick<Replayed, "would" | "startAt"> {
  return rehearsal ? { would: rehearsal.would, startAt } : {};
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new BadInput(whyUnreadable(path, error));
  }
}

/** Where the program ran, as far as the one who replays it says so. */
export const placeOf = ({ zone, marker }: ReplayOptions): Pick<FoldOptions, "zone" | "marker"> =>
  marker === undefined ? { zone } : { zone, marker };
