/** The queue of work at a glance: totals, and the tasks that changed in a period. */
import type { WorkTotals } from "../core/notices/pipeline-text.js";
import { type Hub, LIST_MAX, type TaskSummary } from "../hub/hub.js";
import type { TaskStatus } from "../hub/task-states.js";

export interface WorkOverview extends WorkTotals {
  /** Held now, or blocked or closed in the period; the latest first. */
  tasks: TaskSummary[];
}

const LISTED_MAX = 200;
const ENDED: readonly TaskStatus[] = ["blocked", "done", "failed"];

export async function workTotals(hub: Hub, since: number): Promise<WorkTotals> {
  const [all, changed] = [await hub.counts(), await hub.counts({ updatedSince: since })];
  const { pending, in_progress: processing, blocked } = all;
  return { pending, processing, blocked, done: changed.done, failed: changed.failed };
}

export async function workOverview(hub: Hub, since: number): Promise<WorkOverview> {
  const held = await hub.list({ status: ["in_progress"], limit: LIST_MAX });
  const ended = await hub.list({ status: ENDED, updatedSince: since, limit: LIST_MAX });
  const tasks = [...held, ...ended].sort((a, b) => b.updatedAt - a.updatedAt).slice(0, LISTED_MAX);
  return { ...(await workTotals(hub, since)), tasks };
}
