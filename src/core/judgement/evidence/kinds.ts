/**
 * Kinds of evidence: channels that fail apart from each other. Two marks on one screen are one kind, and so are a hook and
 * the transcript line that the same program wrote. Anything destructive needs two.
 */
import type { Source } from "../../signal.js";
import { EVIDENCE_KINDS, type EvidenceKind } from "./evidence-kind.js";
import type { Evidence } from "./state.js";

export const KIND_OF_SOURCE: Readonly<Record<Source, EvidenceKind | null>> = {
  program_status: "screen",
  title: "screen",
  screen: "screen",
  hook: "record",
  stream: "record",
  session_file: "record",
  transcript: "record",
  report: "record",
  telemetry: "record",
  process: "process",
  workspace: "workspace",
  human: null,
  observer: null,
};

/** Each once, in the order of the list. */
export function distinctKinds(found: Iterable<EvidenceKind | null>): EvidenceKind[] {
  const all = new Set(found);
  return EVIDENCE_KINDS.filter((kind) => all.has(kind));
}

/** The kinds that say the same of the turn: it runs, or it does not. */
export function agreeingKinds({ turn }: Evidence, active: boolean | null): EvidenceKind[] {
  const words = Object.entries(turn.words) as [Source, { word: string }][];
  return distinctKinds(
    words
      .filter(([, { word }]) => (word === "active" || word === "blocked") === active)
      .map(([source]) => KIND_OF_SOURCE[source]),
  );
}

/** The process was looked at: that it lives is known, and not only not denied. */
export const processSeen = ({ progress }: Evidence): EvidenceKind | null =>
  progress.children === null ? null : "process";

/** The process was looked at, and it has no child that could be what is waited for. */
export const nothingBelow = ({ progress }: Evidence): EvidenceKind | null =>
  progress.children === 0 ? "process" : null;

/** The process was looked at, and nothing below it began after that moment: no command that could be at work. */
export const nothingBegun = ({ progress }: Evidence, since: number): EvidenceKind | null =>
  progress.children !== null && (progress.newestChildAt ?? 0) <= since ? "process" : null;

/** The workspace is watched, as its sensor or a change before shows, and nothing changed in it since then. */
export function workspaceStill({ activity, workspaceFrom }: Evidence, since: number): EvidenceKind | null {
  const changes = [activity.recent.get("file_modification"), activity.recent.get("git_commit")].flatMap((s) => s ?? []);
  const isWatched = changes.length > 0 || (workspaceFrom !== null && workspaceFrom <= since);
  return isWatched && changes.every(({ at }) => at < since) ? "workspace" : null;
}
