/** Finds the claim that a session of this node holds. */
import { type Claim, type Hub, LIST_MAX, type TaskSummary } from "../hub/hub.js";
import { HubError } from "../hub/hub-error.js";

export type HeldTask = TaskSummary & { claim: Claim };

const isHeld = (task: TaskSummary): task is HeldTask => task.claim !== null;

/** Tasks that the session holds now. `holder` names the session that works on a claim: see `holderOf`. */
export async function heldTasks(
  hub: Hub,
  node: string,
  session: string,
  holder: (claim: Claim) => string | null = () => null,
): Promise<HeldTask[]> {
  const open = await hub.list({ status: ["in_progress"], node, limit: LIST_MAX });
  const isOwn = (claim: Claim): boolean => claim.session === session || holder(claim) === session;
  return open.filter(isHeld).filter(({ claim }) => isOwn(claim));
}

/** The task that a report of a session is about. Throws `HubError`. */
export function chooseHeld(held: readonly HeldTask[], agent: string, task?: number): HeldTask {
  const ids = held.map(({ id }) => id);
  const one = task === undefined ? (held.length === 1 ? held[0] : undefined) : held.find(({ id }) => id === task);
  if (one) return one;
  if (task !== undefined)
    throw new HubError(
      "invalid",
      `${agent} does not hold task ${task}; ${holdsText(ids)}, see \`rouse task show ${task}\``,
    );
  if (held.length === 0)
    throw new HubError("invalid", `${agent} holds no task; claim one with \`rouse task claim ID\``);
  throw new HubError("invalid", `${agent} holds several tasks (${ids.join(", ")}): name one`);
}

const holdsText = (ids: readonly number[]): string =>
  ids.length === 0 ? "it holds none" : `it holds ${ids.length === 1 ? "task" : "tasks"} ${ids.join(", ")}`;
