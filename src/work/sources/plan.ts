/** What to do about the items of a source and the tasks made of them. Pure. */
import type { Task, TaskSummary } from "../../hub/hub.js";
import type { MarkStatus, SourceItem } from "./source.js";

export type PollStep =
  | { do: "add"; item: SourceItem }
  | { do: "edit"; task: number; item: SourceItem }
  | { do: "unblock"; task: number }
  /** It is held there, or not in the list any more: read it. */
  | { do: "read"; task: number; key: string }
  /** Done here, open there. */
  | { do: "close"; task: number; key: string };

/** Why a source keeps an item from rouse; null: it does not. */
export function conflictOf(source: string, item: SourceItem | null, isOwn: (holder: string) => boolean): string | null {
  if (!item?.isOpen) return `Closed in ${source}.`;
  return item.holder !== null && !isOwn(item.holder) ? `Claimed in ${source} by ${item.holder}.` : null;
}

const isKeptThere = ({ status, lastError, source }: TaskSummary): boolean =>
  status === "blocked" &&
  (lastError === `Closed in ${source}.` || lastError?.startsWith(`Claimed in ${source} by `) === true);

export function planPoll(items: readonly SourceItem[], tasks: readonly TaskSummary[]): PollStep[] {
  const byKey = new Map(tasks.map((task) => [task.sourceKey, task]));
  const listed = new Set(items.map(({ key }) => key));
  const steps = items.flatMap((item): PollStep[] => {
    const task = byKey.get(item.key);
    if (!item.isOpen) return [];
    if (!task) return item.holder === null ? [{ do: "add", item }] : [];
    const { id, status } = task;
    if (status === "done") return [{ do: "close", task: id, key: item.key }];
    if (status === "pending" && item.holder !== null) return [{ do: "read", task: id, key: item.key }];
    if (isKeptThere(task) && item.holder === null) return [{ do: "unblock", task: id }];
    const isChanged = task.title !== item.title || task.priority !== item.priority;
    return status === "pending" && isChanged ? [{ do: "edit", task: id, item }] : [];
  });
  const missing = tasks.filter(({ sourceKey, status }) => !listed.has(sourceKey ?? "") && status === "pending");
  return [...steps, ...missing.map(({ id, sourceKey }): PollStep => ({ do: "read", task: id, key: sourceKey ?? "" }))];
}

/** An item that this node marked, until the source knows how its work ended. Kept in a file. */
export interface TrackedItem {
  task: number;
  fence: number;
  source: string;
  key: string;
  holder: string;
  /** `closing`: done here, but the session that did it is not known. */
  stage: "marking" | "marked" | "closing";
  /** Updates that arrived, by name. */
  delivered: readonly string[];
  markedAt: number;
}

export type SourceUpdate =
  | { name: string; do: "mark"; status: MarkStatus }
  | { name: string; do: "comment"; text: string }
  | { name: string; do: "close"; text: string };

export const HEARTBEAT_MS = 120_000;

/** What the source has to learn, in order. Null: nothing more, forget the item. */
export function updatesOf(
  item: TrackedItem,
  task: Task | null,
  node: string,
  now: number,
): readonly SourceUpdate[] | null {
  if (task === null) return null;
  if (task.claim) {
    // A later claim tracks the item for itself.
    if (task.claim.node !== node || task.fence !== item.fence) return null;
    // A heartbeat says that the holder is alive: it ends with the lease.
    const isBeatDue = now - item.markedAt >= HEARTBEAT_MS && task.claim.leaseUntil > now;
    const isDue = item.stage === "marking" || isBeatDue;
    return isDue ? [{ name: `alive ${now}`, do: "mark", status: "claimed" }] : [];
  }
  if (task.fence !== item.fence && item.stage !== "closing") return null;
  const updates = END[task.status](task);
  const left = updates.filter(({ name }) => !item.delivered.includes(name));
  return left.length === 0 ? null : left;
}

const open: SourceUpdate = { name: "open", do: "mark", status: "open" };
const END: Readonly<Record<Task["status"], (task: Task) => SourceUpdate[]>> = {
  proposed: () => [open],
  approved: () => [open],
  pending: () => [open],
  in_progress: () => [],
  blocked: ({ lastError }) => [
    { name: "comment", do: "comment", text: `Blocked: ${lastError ?? "no reason was given"}` },
    { name: "blocked", do: "mark", status: "blocked" },
  ],
  done: ({ result, verification, worker }) => [
    {
      name: "close",
      do: "close",
      text: `Done${worker === null ? "" : ` by ${worker}`}${verification === null ? "" : ` (${verification})`}${result ? `: ${result}` : "."}`,
    },
  ],
  failed: ({ lastError }) => [
    { name: "comment", do: "comment", text: `Failed: ${lastError ?? "no reason was given"}` },
    open,
  ],
  rejected: ({ lastError }) => [
    { name: "comment", do: "comment", text: `Rejected${lastError ? `: ${lastError}` : "."}` },
    open,
  ],
};
