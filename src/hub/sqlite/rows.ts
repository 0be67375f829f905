/** Rows of `hub.db` as the hub's types, and the statements that many operations share. */
import type { Cell, Database, SqlRow } from "../../store/sqlite.js";
import type {
  Checkpoint,
  CheckpointSource,
  Claim,
  ClaimEnd,
  Comment,
  HubEvent,
  HubMessage,
  Lock,
  ProgressRow,
  ProgressStatus,
  Task,
  TaskSummary,
  Verification,
} from "../hub.js";
import type { TaskStatus } from "../task-states.js";

/** What one operation works with: inside its transaction, at its time. */
export interface Context {
  database: Database;
  node: string;
  now: number;
}

export const json = <T>(value: Cell | undefined): T => JSON.parse(String(value)) as T;
const text = (value: Cell | undefined): string | null => (value === null || value === undefined ? null : String(value));
const number = (value: Cell | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export const all = ({ database }: Context, sql: string, ...values: Cell[]): SqlRow[] =>
  database.prepare(sql).all(...values);
export const one = ({ database }: Context, sql: string, ...values: Cell[]): SqlRow | undefined =>
  database.prepare(sql).get(...values);
export const run = ({ database }: Context, sql: string, ...values: Cell[]): number =>
  Number(database.prepare(sql).run(...values).changes);
/** The id of the new row. */
export const insert = ({ database }: Context, sql: string, ...values: Cell[]): number =>
  Number(database.prepare(sql).run(...values).lastInsertRowid);

export function addEvent(
  context: Context,
  kind: string,
  task: number | null,
  author: string,
  data: Readonly<Record<string, unknown>> = {},
): void {
  run(
    context,
    "insert into events (at, node, author, kind, task, data) values (?, ?, ?, ?, ?, ?)",
    context.now,
    context.node,
    author,
    kind,
    task,
    JSON.stringify(data),
  );
}

/** Includes its claim and the progress of its last session. */
export const TASK_COLUMNS = `t.*, c.node, c.agent, c.session, c.progress_id, c.lease_ms, c.lease_until, c.claimed_at,
  p.last_checkpoint, p.last_step, p.completed_steps,
  (select json_group_array(b.value) from json_each(t.blocked_by) b join tasks w on w.id = b.value where w.status <> 'done') as waits_for`;
export const TASK_TABLES = `tasks t left join claims c on c.task = t.id and c.ended is null
  left join progress p on p.id = (select max(id) from progress where task = t.id)`;

export const findTask = (context: Context, id: number): Task | null => {
  const row = one(context, `select ${TASK_COLUMNS} from ${TASK_TABLES} where t.id = ?`, id);
  return row ? toTask(row) : null;
};

export function toTask(row: SqlRow): Task {
  const { description, diagnosis, qa } = row;
  return { ...toSummary(row), description: String(description), diagnosis: String(diagnosis), qa: String(qa) };
}

export function toSummary(row: SqlRow): TaskSummary {
  return {
    id: Number(row.id),
    status: String(row.status) as TaskStatus,
    title: String(row.title),
    check: row.check_command === null ? null : json(row.check_command),
    steps: json(row.steps),
    project: String(row.project),
    kind: String(row.kind),
    stage: String(row.stage),
    priority: Number(row.priority),
    score: number(row.score),
    threshold: number(row.threshold),
    cycle: Number(row.cycle),
    parent: number(row.parent),
    tags: json(row.tags),
    blockedBy: json(row.blocked_by),
    workspace: text(row.workspace),
    source: text(row.source),
    sourceKey: text(row.source_key),
    worker: text(row.worker),
    attempts: Number(row.attempts),
    continuations: Number(row.continuations),
    maxContinuations: Number(row.max_continuations),
    lastError: text(row.last_error),
    verification: text(row.verification) as Verification | null,
    result: text(row.result),
    author: String(row.author),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    fence: Number(row.fence),
    claim: row.claimed_at === null ? null : toClaim({ ...row, task: row.id ?? null, ended: null, ended_at: null }),
    completedSteps: json(row.completed_steps ?? "[]"),
    lastCheckpoint: number(row.last_checkpoint),
    lastStep: text(row.last_step),
    waitsFor: json(row.waits_for),
  };
}

export function toClaim(row: SqlRow): Claim {
  return {
    task: Number(row.task),
    fence: Number(row.fence),
    node: String(row.node),
    agent: String(row.agent),
    session: String(row.session),
    leaseMs: Number(row.lease_ms),
    leaseUntil: Number(row.lease_until),
    claimedAt: Number(row.claimed_at),
    progressId: Number(row.progress_id),
    ended: text(row.ended) as ClaimEnd | null,
    endedAt: number(row.ended_at),
  };
}

export function toCheckpoint(row: SqlRow): Checkpoint {
  return {
    id: Number(row.id),
    task: Number(row.task),
    fence: Number(row.fence),
    step: number(row.step),
    text: String(row.text),
    source: String(row.source) as CheckpointSource,
    inferred: row.inferred === 1,
    at: Number(row.at),
  };
}

export function toComment(row: SqlRow): Comment {
  return {
    id: Number(row.id),
    task: Number(row.task),
    fence: number(row.fence),
    author: String(row.author),
    node: String(row.node),
    at: Number(row.at),
    text: String(row.text),
  };
}

export function toProgress(row: SqlRow): ProgressRow {
  return {
    id: Number(row.id),
    task: Number(row.task),
    fence: number(row.fence),
    agentTaskName: text(row.agent_task_name),
    lastCheckpoint: number(row.last_checkpoint),
    lastStep: text(row.last_step),
    completedSteps: json(row.completed_steps),
    status: text(row.status) as ProgressStatus | null,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

export function toLock(row: SqlRow): Lock {
  return {
    project: String(row.project),
    name: String(row.name),
    holder: String(row.holder),
    node: String(row.node),
    task: number(row.task),
    fence: number(row.fence),
    since: Number(row.since),
    leaseUntil: number(row.lease_until),
  };
}

export function toEvent(row: SqlRow): HubEvent {
  return {
    id: Number(row.id),
    at: Number(row.at),
    node: String(row.node),
    author: String(row.author),
    kind: String(row.kind),
    task: number(row.task),
    data: json(row.data),
  };
}

export function toMessage(row: SqlRow): HubMessage {
  return {
    receiver: String(row.receiver),
    seq: Number(row.seq),
    key: String(row.key),
    type: String(row.type),
    sender: String(row.sender),
    payload: json(row.payload),
    at: Number(row.at),
    ackedAt: number(row.acked_at),
    ackedBy: text(row.acked_by),
  };
}
