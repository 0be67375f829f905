/**
 * The life of a task, as one table. Both stores check it, and the drawing in docs/work.md is made from it. Pure data.
 *
 * `user` is a person or a client with the right to control; `holder` is the session that holds the task, proven by its
 * fence; `rouse` is the policy.
 */

export const TASK_STATUSES = [
  "proposed",
  "approved",
  "pending",
  "in_progress",
  "blocked",
  "done",
  "failed",
  "rejected",
] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];
export type TaskActor = "user" | "holder" | "rouse";

export interface TaskTransition {
  operation: string;
  from: readonly TaskStatus[];
  to: TaskStatus;
  by: readonly TaskActor[];
  /** One sentence for users. */
  description: string;
}

const EVERYONE = ["user", "holder", "rouse"] as const;

export const TASK_TRANSITIONS = [
  {
    operation: "approve",
    from: ["proposed"],
    to: "approved",
    by: ["user"],
    description: "Accept a proposal; it is not offered to agents yet.",
  },
  {
    operation: "queue",
    from: ["proposed", "approved"],
    to: "pending",
    by: ["user", "rouse"],
    description: "Offer the task to agents.",
  },
  {
    operation: "reject",
    from: ["proposed", "approved", "pending", "blocked"],
    to: "rejected",
    by: ["user", "rouse"],
    description: "Decide that the task will not be done.",
  },
  {
    operation: "claim",
    from: ["pending"],
    to: "in_progress",
    by: ["holder"],
    description: "Take the task; writes checkpoint 0.",
  },
  {
    operation: "take_over",
    from: ["in_progress"],
    to: "in_progress",
    by: ["rouse"],
    description: "Hand the task to a continuation with a higher fence.",
  },
  {
    operation: "release",
    from: ["in_progress"],
    to: "pending",
    by: EVERYONE,
    description: "Give the task back; it is offered again.",
  },
  {
    operation: "expire",
    from: ["in_progress"],
    to: "pending",
    by: ["rouse"],
    description: "Offer the task again when its lease ended more than 5 minutes ago.",
  },
  {
    operation: "block",
    from: ["pending", "in_progress"],
    to: "blocked",
    by: EVERYONE,
    description: "Stop work until a person has answered; keeps the blocking error.",
  },
  {
    operation: "unblock",
    from: ["blocked"],
    to: "pending",
    by: ["user", "rouse"],
    description: "Offer a blocked task again.",
  },
  {
    operation: "done",
    from: ["pending", "in_progress", "blocked"],
    to: "done",
    by: ["user", "holder"],
    description: "Close the task as done; a task with a check has to be verified.",
  },
  {
    operation: "fail",
    from: ["pending", "in_progress", "blocked"],
    to: "failed",
    by: EVERYONE,
    description: "Close the task as failed, with the error.",
  },
  {
    operation: "reopen",
    from: ["done", "failed", "rejected"],
    to: "pending",
    by: ["user", "rouse"],
    description: "Offer a closed task again; counts its continuations from 0.",
  },
] as const satisfies readonly TaskTransition[];

export type TaskOperation = (typeof TASK_TRANSITIONS)[number]["operation"];

/** These move a claim too; the hub has calls of their own for them. */
export const CLAIM_OPERATIONS = ["claim", "take_over", "expire"] as const satisfies readonly TaskOperation[];
export type DecidedOperation = Exclude<TaskOperation, (typeof CLAIM_OPERATIONS)[number]>;

/** The states in which no more work is expected. */
export const CLOSED: readonly TaskStatus[] = ["done", "failed", "rejected"];

/** The new status, or why the operation is not possible now. */
export function nextStatus(
  status: TaskStatus,
  operation: TaskOperation,
  actor: TaskActor,
): { to: TaskStatus } | { refused: "status" | "actor" } {
  const row: TaskTransition | undefined = TASK_TRANSITIONS.find((transition) => transition.operation === operation);
  if (!row?.from.includes(status)) return { refused: "status" };
  return row.by.includes(actor) ? { to: row.to } : { refused: "actor" };
}

/** The states from which an operation is possible, for messages. */
export function statusesFor(operation: TaskOperation): readonly TaskStatus[] {
  return TASK_TRANSITIONS.find((transition) => transition.operation === operation)?.from ?? [];
}
