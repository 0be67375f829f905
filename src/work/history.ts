/** What happened to a task, as text for a user: one line per session. */
import type { Expired, HubEvent, TaskDetail } from "../hub/hub.js";
import type { NodeHub } from "./node-hub.js";
import { sessionLine } from "./prompts/task-fields.js";

export function historyLines(task: TaskDetail, events: readonly HubEvent[]): string[] {
  const done = [...task.completedSteps].sort((a, b) => a - b);
  const left = task.steps.map((_, index) => index + 1).filter((step) => !done.includes(step));
  return [
    ...task.claims.map((claim, index) => `session ${index + 1}: ${sessionLine(claim, task, events)}`),
    ...(task.steps.length === 0
      ? []
      : [`completed steps: ${done.join(", ") || "none"}; left: ${left.join(", ") || "none"} of ${task.steps.length}`]),
    ...(task.lastError ? [`last error: ${task.lastError}`] : []),
    `you can: see it (rouse task show ${task.id}) · offer it again (rouse task reopen ${task.id})`,
  ];
}

export const failedTitle = ({ id, title, continuations }: TaskDetail): string =>
  `task ${id} (${title.slice(0, 80)}) failed after ${continuations} ${continuations === 1 ? "continuation" : "continuations"}`;

export interface FailedTask {
  id: string;
  title: string;
  lines: string[];
  agent: string | null;
}

/** One alert for each task whose last claim lapsed. */
export async function reportFailed(
  hub: NodeHub,
  ended: readonly Expired[],
  send: (failed: FailedTask) => void,
): Promise<void> {
  for (const { claim, outcome } of ended) {
    if (outcome !== "failed") continue;
    try {
      const store = await hub.open();
      const task = await store.get(claim.task);
      const lines = historyLines(task, await store.events({ task: claim.task }));
      send({ id: `task ${claim.task} ${claim.fence}`, title: failedTitle(task), lines, agent: claim.agent });
    } catch {
      send({
        id: `task ${claim.task} ${claim.fence}`,
        title: `task ${claim.task} failed`,
        lines: [],
        agent: claim.agent,
      });
    }
  }
}
