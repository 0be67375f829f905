/** One recording in, one explained timeline out. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ProfileOverride } from "../agents/profile.js";
import { profileFor } from "../agents/registry.js";
import type { TimelineEntry } from "../core/timeline.js";
import { openCase, type SourceName } from "./case-folder.js";
import { openCast } from "./cast.js";
import { BadInput } from "./files.js";
import { foldRecording } from "./fold.js";

export interface ReplayOptions {
  sources: ReadonlySet<SourceName>;
  /** IANA zone for clock times without one. */
  zone: string;
  /** Kind of program, where the recording itself does not say. */
  agent?: string;
  profiles?: readonly ProfileOverride[];
}

export interface Replayed {
  case: string;
  timeline: TimelineEntry[];
  signals: number;
  /** Records that no reader knows, by kind; and lines that could not be read. */
  skipped: Map<string, number>;
  meta: Record<string, unknown>;
}

export async function replayCase(path: string, options: ReplayOptions): Promise<Replayed> {
  const opened = await openCase(path, options.sources, options.profiles);
  const profile = options.agent ? profileFor(options.agent, options.profiles) : opened.profile;
  const folded = await foldRecording(opened.inputs, {
    profile,
    startAt: opened.startAt,
    zone: options.zone,
    size: opened.size,
  });
  if (opened.lost() > 0) folded.skipped.set("damaged line", opened.lost());
  return {
    case: opened.name,
    timeline: folded.timeline,
    signals: folded.signals,
    skipped: folded.skipped,
    meta: opened.meta,
  };
}

/** A bare recording of a terminal; `-` reads standard input. */
export async function replayCast(path: string, options: ReplayOptions): Promise<Replayed> {
  const cast = await openCast(path, false);
  const folded = await foldRecording(cast.inputs, {
    profile: profileFor(options.agent ?? "generic", options.profiles),
    startAt: cast.header.startAt,
    zone: options.zone,
    size: cast.header,
  });
  if (cast.skipped() > 0) folded.skipped.set("damaged line", cast.skipped());
  const name = path === "-" ? "-" : resolve(path).split("/").slice(-2).join("/");
  return { case: name, timeline: folded.timeline, signals: folded.signals, skipped: folded.skipped, meta: {} };
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new BadInput(
      code === "ENOENT" ? `there is no file or folder ${path}` : `cannot open ${path}: ${(error as Error).message}`,
    );
  }
}
