/** Tasks of the hub as records of the API, and back. */
import type * as z from "zod";
import type { Checkpoint, Claim, Lock, NewTask, Task, TaskChanges, TaskDetail, TaskSummary } from "../../hub/hub.js";
import type {
  checkpointRecord,
  claimRecord,
  lockRecord,
  taskDetail,
  taskRecord,
  taskSummary,
} from "../operations/task-records.js";
import { iso, isoOrNull } from "./context.js";

export type ClaimView = z.input<typeof claimRecord>;
export type TaskSummaryView = z.input<typeof taskSummary>;
export type TaskView = z.input<typeof taskRecord>;
export type TaskDetailView = z.input<typeof taskDetail>;
export type CheckpointView = z.input<typeof checkpointRecord>;
export type LockView = z.input<typeof lockRecord>;

export const claimView = ({
  task,
  fence,
  node,
  agent,
  session,
  leaseUntil,
  claimedAt,
  ended,
  endedAt,
}: Claim): ClaimView => ({
  task,
  fence,
  node,
  agent,
  session,
  lease_until: iso(leaseUntil),
  claimed_at: iso(claimedAt),
  ended,
  ended_at: isoOrNull(endedAt),
});

export const summaryView = (task: TaskSummary): TaskSummaryView => ({
  id: task.id,
  title: task.title,
  status: task.status,
  project: task.project,
  kind: task.kind,
  stage: task.stage,
  priority: task.priority,
  tags: [...task.tags],
  steps: [...task.steps],
  completed_steps: [...task.completedSteps],
  check: task.check === null ? null : [...task.check],
  score: task.score,
  threshold: task.threshold,
  cycle: task.cycle,
  parent: task.parent,
  blocked_by: [...task.blockedBy],
  waits_for: [...task.waitsFor],
  workspace: task.workspace,
  worker: task.worker,
  attempts: task.attempts,
  continuations: task.continuations,
  max_continuations: task.maxContinuations,
  last_error: task.lastError,
  verification: task.verification,
  result: task.result,
  source: task.source,
  source_key: task.sourceKey,
  author: task.author,
  claim: task.claim === null ? null : claimView(task.claim),
  last_checkpoint: isoOrNull(task.lastCheckpoint),
  last_step: task.lastStep,
  created_at: iso(task.createdAt),
  updated_at: iso(task.updatedAt),
});

export const taskView = (task: Task): TaskView => ({
  ...summaryView(task),
  description: task.description,
  diagnosis: task.diagnosis,
  qa_requirements: task.qa,
});

export const detailView = (task: TaskDetail): TaskDetailView => ({
  ...taskView(task),
  claims: task.claims.map(claimView),
  checkpoints: task.checkpoints.map(checkpointView),
  comments: task.comments.map(({ id, author, text, at }) => ({ id, author, text, at: iso(at) })),
});

export const checkpointView = ({ id, task, fence, step, text, source, inferred, at }: Checkpoint): CheckpointView => ({
  id,
  task,
  fence,
  step,
  text,
  source,
  inferred,
  at: iso(at),
});

export const lockView = ({ project, name, holder, node, task, since, leaseUntil }: Lock): LockView => ({
  project,
  name,
  holder,
  node,
  task,
  since: iso(since),
  lease_until: isoOrNull(leaseUntil),
});

/** Names of the API that differ from those of the hub. */
const NAMES: Readonly<Record<string, string>> = {
  qa_requirements: "qa",
  blocked_by: "blockedBy",
  max_continuations: "maxContinuations",
  source_key: "sourceKey",
  last_error: "lastError",
};

/** Without the fields that were not given. */
export const hubFields = (fields: Readonly<Record<string, unknown>>): NewTask & TaskChanges =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[NAMES[name] ?? name, value]])),
  ) as unknown as NewTask & TaskChanges;
