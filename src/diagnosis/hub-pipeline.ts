/** The pipeline as the hub knows it: tasks as jobs and proposals, with their claims, locks and events. */
import type { Claim, Hub, Lock as HubLock, TaskSummary } from "../hub/hub.js";
import { CLOSED, type TaskStatus } from "../hub/task-states.js";
import type { Job, Pipeline, Proposal } from "./pipeline.js";

const PAGE = 500;
const TASKS_MAX = 5000;
const CLOSED_MAX = 300;
const EVENTS_MAX = 100;

/** Null: unknown, such as a session on another node. */
export type IsAlive = (session: string) => boolean | null;

export async function readHubPipeline(hub: Hub, isAlive: IsAlive): Promise<Pipeline> {
  const now = await hub.now();
  const tasks = await recentTasks(hub);
  const active = tasks.filter(({ status }) => status === "in_progress");
  const locks = await hub.locks();
  const events = await hub.events({ limit: EVENTS_MAX });
  return {
    stage: active.some((task) => isBuild(task)) ? "build" : (active.find(({ stage }) => stage !== "")?.stage ?? null),
    jobs: tasks.flatMap((task) => jobOf(task, now, isAlive) ?? []),
    proposals: tasks.filter(isProposal).map(proposalOf),
    locks: locks.flatMap((lock) => lockOf(lock, tasks, now, isAlive) ?? []),
    events: events.map(({ at, kind, task, author, data }) => ({
      at,
      kind,
      text: [task === null ? "" : `task ${task}`, author, JSON.stringify(data)].filter((part) => part !== "").join(" "),
    })),
    notes: [],
  };
}

/** A lock whose lease is renewed, or whose task is worked on, has a living holder. */
function lockOf(
  { project, name, holder, since, leaseUntil, task, fence }: HubLock,
  tasks: readonly TaskSummary[],
  now: number,
  isAlive: IsAlive,
): Pipeline["locks"][number] | null {
  if (name.startsWith(OWN_LOCKS)) return null;
  const claim = tasks.find(({ id }) => id === task)?.claim ?? null;
  const byClaim = claim === null || claim.fence !== fence ? null : isHeldAlive(claim, now, isAlive);
  const byLease = leaseUntil === null ? null : leaseUntil > now;
  return { project, name, holder, since, holder_alive: byClaim ?? byLease };
}

const OWN_LOCKS = "rouse.";

const isHeldAlive = ({ session, leaseUntil }: Claim, now: number, isAlive: IsAlive): boolean =>
  isAlive(session) ?? leaseUntil > now;

const isBuild = ({ stage, kind }: Pick<TaskSummary, "stage" | "kind">): boolean =>
  stage === "build" || kind === "build";

/** All open tasks, and the closed ones that changed last. */
async function recentTasks(hub: Hub): Promise<TaskSummary[]> {
  const found: TaskSummary[] = [];
  for (let after = 0; found.length < TASKS_MAX; ) {
    const page = await hub.list({ after, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) break;
    after = page.at(-1)?.id ?? after;
  }
  const closed = found.filter(({ status }) => CLOSED.includes(status)).sort((a, b) => b.updatedAt - a.updatedAt);
  const kept = new Set(closed.slice(0, CLOSED_MAX));
  return found.filter((task) => !CLOSED.includes(task.status) || kept.has(task));
}

const JOB_STATUS: Readonly<Partial<Record<TaskStatus, Job["status"]>>> = {
  pending: "pending",
  in_progress: "processing",
  blocked: "blocked",
  done: "done",
  failed: "failed",
};

function jobOf(task: TaskSummary, now: number, isAlive: IsAlive): Job | null {
  const status = JOB_STATUS[task.status];
  if (status === undefined) return null;
  const { claim } = task;
  return {
    id: String(task.id),
    project: task.project,
    kind: task.kind,
    title: task.title,
    status,
    worker: task.worker,
    worker_alive: claim === null ? null : isHeldAlive(claim, now, isAlive),
    worker_seen: claim === null ? null : claim.leaseUntil - claim.leaseMs,
    attempts: task.attempts,
    error: task.lastError,
    proposal: task.parent === null ? null : String(task.parent),
    cycle: task.cycle,
    changes: null,
    updated: task.updatedAt,
  };
}

const isProposal = ({ status, score }: TaskSummary): boolean =>
  status === "proposed" || status === "approved" || score !== null;

const proposalOf = ({ id, project, title, status, score, threshold, cycle, updatedAt }: TaskSummary): Proposal => ({
  id: String(id),
  project,
  title,
  status,
  score,
  threshold,
  cycle,
  updated: updatedAt,
});
