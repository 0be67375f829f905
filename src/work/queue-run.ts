/**
 * What a run over the queue does next: tasks to start, agents to stop, or why it waits or ends. Pure: the state of the run, the
 * queue and the agents come in, the next steps come out.
 */
import type { TaskStatus } from "../hub/task-states.js";

export interface QueueTask {
  id: number;
  status: TaskStatus;
  /** It waits for no other task. */
  isReady: boolean;
  /** The agent that holds it. */
  holder: string | null;
}

/** A living agent. */
export interface QueueAgent {
  name: string;
  /** Agents of one account share its limits. */
  account: string;
  /** End of its limit; null: not limited, infinity: not known. */
  limitedUntil: number | null;
  /** Its turn has ended. */
  isIdle: boolean;
}

/** A task that this run started. */
export interface OwnTask {
  task: number;
  /** All agents that this run started for it. */
  agents: readonly string[];
  /** Since when its holder is not among the living agents. */
  missingSince: number | null;
  /** Since when none of these agents holds it. */
  leftSince: number | null;
}

export interface QueueUse {
  tokens: number;
  costUsd: number;
}

export interface QueueSituation {
  now: number;
  /** Agents at once. */
  max: number;
  /** Highest priority first. */
  tasks: readonly QueueTask[];
  agents: readonly QueueAgent[];
  /** Names of agents for which a step of a recovery plan is due. */
  recovering: ReadonlySet<string>;
  own: readonly OwnTask[];
  /** Tasks that could not be started. */
  skipped: ReadonlySet<number>;
  /** Accounts of the agents of this run; empty before the first start. */
  accounts: ReadonlySet<string>;
  used: QueueUse;
  /** Per agent at once; 0 for none. */
  budget: QueueUse;
}

export type QueueWait = { why: "limit"; until: number } | { why: "budget" };

export interface QueueStep {
  own: OwnTask[];
  starts: number[];
  /** Tasks whose holder died. */
  continues: number[];
  stops: string[];
  /** Why no task is started. */
  wait: QueueWait | null;
  isEnd: boolean;
  /** Agents of this run that work or are about to be continued. */
  running: number;
  ready: number;
}

/** A host registers again after a restart of the daemon; a recovery plan starts within this time. */
export const MISSING_MS = 10_000;
/** An agent may write a closing message after it has closed its task. */
export const CLOSING_MS = 30_000;

interface Followed {
  own: OwnTask;
  task: QueueTask | undefined;
  isHeld: boolean;
  living: QueueAgent[];
}

export function nextSteps(situation: QueueSituation): QueueStep {
  const { now, max, tasks, agents, skipped, accounts } = situation;
  const followed = situation.own.map((own) => follow(own, situation));
  const wait = waitOf(situation);
  const isOver = wait?.why === "budget";
  const isDead = ({ own, task }: Followed): boolean =>
    own.missingSince !== null && now - own.missingSince >= MISSING_MS && !situation.recovering.has(task?.holder ?? "");
  const stops = followed.flatMap(({ own, isHeld, living }) =>
    isHeld ? [] : living.filter(({ isIdle }) => isIdle || now - (own.leftSince ?? now) >= CLOSING_MS),
  );
  // A dead holder is waited for only if its task will be continued.
  const running = followed.filter((one) => one.living.length > 0 || (one.isHeld && !(isOver && isDead(one))));
  const busy = new Set(running.map(({ own }) => own.task));
  const ready = tasks.filter(
    ({ id, status, isReady }) => status === "pending" && isReady && !skipped.has(id) && !busy.has(id),
  );
  // The first start shows which account is used.
  const free = Math.min(max - running.length, accounts.size === 0 ? 1 : max);
  const starts = wait === null && free > 0 ? ready.slice(0, free).map(({ id }) => id) : [];
  const continues = wait === null ? followed.filter((one) => one.isHeld && isDead(one)).map(({ own }) => own.task) : [];
  return {
    own: followed.map(({ own }) => own),
    starts,
    continues: continues.filter((task) => !skipped.has(task)),
    stops: agents.filter((agent) => stops.includes(agent)).map(({ name }) => name),
    wait: ready.length > 0 || continues.length > 0 || isOver ? wait : null,
    isEnd: running.length === 0 && starts.length === 0 && (ready.length === 0 || isOver),
    running: running.length,
    ready: ready.length,
  };
}

function follow(own: OwnTask, { now, tasks, agents }: QueueSituation): Followed {
  const task = tasks.find(({ id }) => id === own.task);
  const isHeld = task?.status === "in_progress" && task.holder !== null && own.agents.includes(task.holder);
  const living = agents.filter(({ name }) => own.agents.includes(name));
  const isMissing = isHeld && !living.some(({ name }) => name === task.holder);
  return {
    own: {
      ...own,
      missingSince: isMissing ? (own.missingSince ?? now) : null,
      leftSince: isHeld ? null : (own.leftSince ?? now),
    },
    task,
    isHeld,
    living,
  };
}

function waitOf({ now, max, agents, accounts, used, budget }: QueueSituation): QueueWait | null {
  const isOver = (name: keyof QueueUse): boolean => budget[name] > 0 && used[name] >= budget[name] * max;
  if (isOver("tokens") || isOver("costUsd")) return { why: "budget" };
  const limits = agents.flatMap(({ account, limitedUntil }) =>
    accounts.has(account) && limitedUntil !== null && limitedUntil > now ? [limitedUntil] : [],
  );
  return limits.length === 0 ? null : { why: "limit", until: Math.max(...limits) };
}
