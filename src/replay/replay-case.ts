/** Replays one recording into one explained timeline. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { TimelineEntry } from "../core/judgement/timeline.js";
import type { JudgingOptions } from "../core/session-judge.js";
import type { SimulatedAction, WhatIf } from "../core/what-if.js";
import { profileFor } from "../programs/registry.js";
import type { ProfileOverride } from "../programs/shared/profile.js";
import { whyUnreadable } from "./bad-input.js";
import { openCase, type SourceName } from "./case-folder.js";
import { openCast } from "./cast.js";
import { type ExplainedMoment, ExplanationCollector } from "./explain.js";
import { BadInput } from "./files.js";
import { type FoldOptions, foldRecording } from "./fold.js";
import { onlyFrom } from "./inputs.js";

export interface ReplayOptions {
  sources: ReadonlySet<SourceName>;
  /** IANA zone for clock times without one. */
  zone: string;
  /** The completion marker that agents were asked to write. */
  marker?: string;
  /** Kind of program, if the recording itself does not name it. */
  agent?: string;
  profiles?: readonly ProfileOverride[];
  /** Acts by a policy on one recording, as if every action worked. `startAt` is 0 if unknown. */
  whatIf?: (program: string, startAt: number, settings: JudgingOptions) => WhatIf;
  /** Explain the verdict at this second, or at every change if it is null; for cases and casts. */
  explainAt?: number | null;
}

export interface ReplayResult {
  case: string;
  /** Id of the profile used. */
  kind: string;
  timeline: TimelineEntry[];
  signals: number;
  /** Unknown records by kind, and unreadable lines. */
  skipped: Map<string, number>;
  meta: Record<string, unknown>;
  wouldDo?: SimulatedAction[];
  explained?: ExplainedMoment[];
  startAt?: number;
}

export async function replayCase(path: string, options: ReplayOptions): Promise<ReplayResult> {
  const opened = await openCase(path, options.sources, options.profiles);
  const profile = options.agent ? profileFor(options.agent, options.profiles) : opened.profile;
  const acted = whatIfOf(options, profile.id, opened.startAt);
  const explaining = explainingOf(options);
  const folded = await foldRecording(opened.inputs, {
    profile,
    startAt: opened.startAt,
    ...replayContextOf(options),
    size: opened.size,
    ...acted.options,
    ...explainerFor(explaining, opened.startAt),
  });
  if (opened.lost() > 0) folded.skipped.set("damaged line", opened.lost());
  return {
    case: opened.name,
    kind: profile.id,
    timeline: folded.timeline,
    signals: folded.signals,
    skipped: folded.skipped,
    meta: opened.meta,
    ...acted.result(),
    ...(explaining && { explained: explaining.moments }),
  };
}

/** A bare recording of a terminal; `-` reads standard input. */
export async function replayCast(path: string, options: ReplayOptions): Promise<ReplayResult> {
  const cast = await openCast(path, false);
  const profile = profileFor(options.agent ?? cast.header.program ?? "generic", options.profiles);
  const acted = whatIfOf(options, profile.id, cast.header.startAt);
  const explaining = explainingOf(options);
  const isSeen = options.sources.has("screen");
  const folded = await foldRecording(onlyFrom(cast.inputs, isSeen, false), {
    profile,
    startAt: cast.header.startAt,
    ...replayContextOf(options),
    size: isSeen ? cast.header : null,
    ...acted.options,
    ...explainerFor(explaining, cast.header.startAt),
  });
  if (cast.skipped() > 0) folded.skipped.set("damaged line", cast.skipped());
  const name = path === "-" ? "-" : resolve(path).split("/").slice(-2).join("/");
  const { timeline, signals, skipped } = folded;
  const explained = explaining && { explained: explaining.moments };
  return { case: name, kind: profile.id, timeline, signals, skipped, meta: {}, ...acted.result(), ...explained };
}

const explainingOf = ({ explainAt }: ReplayOptions): ExplanationCollector | undefined =>
  explainAt === undefined ? undefined : new ExplanationCollector(explainAt);

function explainerFor(
  explaining: ExplanationCollector | undefined,
  startAt: number,
): Pick<FoldOptions, "onJudged" | "onSignal"> {
  if (!explaining) return {};
  return {
    onSignal: (signal) => explaining.signal(signal),
    onJudged: ({ assessment, evidence }, terminal) => explaining.assessed(assessment, evidence, terminal, startAt),
  };
}

/** The options to act by a policy, and the actions after the recording was replayed. */
export function whatIfOf(
  { whatIf }: Partial<ReplayOptions>,
  program: string,
  startAt: number,
): { options: Pick<FoldOptions, "whatIf">; result: () => Pick<ReplayResult, "wouldDo" | "startAt"> } {
  if (!whatIf) return { options: {}, result: () => ({}) };
  let made: WhatIf | null = null;
  return {
    options: {
      whatIf: (settings) => {
        made = whatIf(program, startAt, settings);
        return made;
      },
    },
    result: () => ({ wouldDo: made?.wouldDo ?? [], startAt }),
  };
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new BadInput(whyUnreadable(path, error));
  }
}

/** The time zone and completion marker from the options. */
export const replayContextOf = ({ zone, marker }: ReplayOptions): Pick<FoldOptions, "zone" | "marker"> =>
  marker === undefined ? { zone } : { zone, marker };
