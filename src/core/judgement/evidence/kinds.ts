/**
 * Kinds of evidence: channels that fail independently. Two marks on one screen are one kind, and so are a hook and the
 * transcript line of the same program. Any destructive action needs two.
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

/** Each kind once, in the order of the list. */
export function distinctKinds(found: Iterable<EvidenceKind | null>): EvidenceKind[] {
  const all = new Set(found);
  return EVIDENCE_KINDS.filter((kind) => all.has(kind));
}

/** The kinds that agree on whether a turn is running. */
export function agreeingKinds({ turn }: Evidence, active: boolean | null): EvidenceKind[] {
  const statuses = Object.entries(turn.statuses) as [Source, { status: string }][];
  return distinctKinds(
    statuses
      .filter(([, { status }]) => (status === "active" || status === "blocked") === active)
      .map(([source]) => KIND_OF_SOURCE[source]),
  );
}

/** The process was checked and is alive. */
export const processSeen = ({ progress }: Evidence): EvidenceKind | null =>
  progress.children === null ? null : "process";

/** The process was checked and has no child that it could be waiting for. */
export const nothingBelow = ({ progress }: Evidence): EvidenceKind | null =>
  progress.children === 0 ? "process" : null;

/** The process was checked, and no child has used CPU or I/O since then. */
export const childIdle = ({ progress }: Evidence, since: number): EvidenceKind | null =>
  progress.children !== null && (progress.childWorkedAt ?? 0) <= since ? "process" : null;

/** The workspace is watched (its sensor or an earlier change shows it), and nothing has changed since then. */
export function workspaceStill({ activity, workspaceFrom }: Evidence, since: number): EvidenceKind | null {
  const changes = [activity.recent.get("file_modification"), activity.recent.get("git_commit")].flatMap((s) => s ?? []);
  const isWatched = changes.length > 0 || (workspaceFrom !== null && workspaceFrom <= since);
  return isWatched && changes.every(({ at }) => at < since) ? "workspace" : null;
}
