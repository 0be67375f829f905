/** Why a task is the next one: priority, then age, among those that wait for nothing. Pure; the hub chooses by the same order. */
import type { TaskSummary } from "../hub/hub.js";

type Waiting = Pick<TaskSummary, "id" | "priority" | "waitsFor">;

/** Skipped tasks that are named. */
const NAMED_MAX = 5;

/** `pending`: all pending tasks of the queue. Null: no task is offered. */
export function explainNext(next: Pick<TaskSummary, "id" | "priority"> | null, pending: readonly Waiting[]): string[] {
  const skipped = pending.filter(({ waitsFor }) => waitsFor.length > 0);
  const more = skipped.length > NAMED_MAX ? [`${skipped.length - NAMED_MAX} more wait for other tasks`] : [];
  const above = [...skipped]
    .sort((a, b) => b.priority - a.priority || a.id - b.id)
    .slice(0, NAMED_MAX)
    .map(({ id, waitsFor }) => `#${id} waits for ${waitsFor.map((one) => `#${one}`).join(", ")}`);
  if (next === null) return [...above, ...more];
  const ready = pending.filter(({ waitsFor }) => waitsFor.length === 0);
  const same = ready.filter(({ priority }) => priority === next.priority);
  const first =
    ready.length <= 1
      ? "the only task that is ready"
      : same.length === 1
        ? `highest priority (${next.priority}) of ${ready.length} tasks`
        : same.length === ready.length
          ? `oldest of ${ready.length} tasks with priority ${next.priority}`
          : `oldest of ${same.length} tasks with the highest priority (${next.priority})`;
  return [first, ...above, ...more];
}
