/** Claims of this node whose lease lapsed: their sessions died or stalled without giving the task back. */
import type { LapsedClaim } from "../core/incidents/stall-figures.js";
import type { Hub } from "../hub/hub.js";

const TASKS_MAX = 500;

export async function lapsedClaims(hub: Hub, node: string, since: number): Promise<LapsedClaim[]> {
  const events = [
    ...(await hub.events({ kind: "expired", since })),
    // The last one of a task fails it.
    ...(await hub.events({ kind: "fail", since })),
  ];
  const tasks = new Set(events.flatMap(({ task }) => task ?? []));
  const found: LapsedClaim[] = [];
  for (const task of [...tasks].slice(-TASKS_MAX)) {
    const { claims } = await hub.get(task).catch(() => ({ claims: [] }));
    for (const { agent, session, claimedAt, endedAt, ended, node: of } of claims)
      if (ended === "expired" && of === node && endedAt !== null && endedAt >= since)
        found.push({ agent, session, claimedAt, endedAt });
  }
  return found;
}
