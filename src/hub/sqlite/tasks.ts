/** Tasks in SQLite: add, read, change, and the transitions that users and the policy decide. */
import type { Cell } from "../../store/sqlite.js";
import type { Comment, Task, TaskDetail, TaskSummary } from "../hub.js";
import type { Refusal } from "../hub-error.js";
import type { Arguments, Refused } from "../store.js";
import { CLAIM_OPERATIONS, nextStatus, type TaskOperation } from "../task-states.js";
import { closeTask, endClaim, type Outcome, openClaim, recordCheckpoint } from "./claims.js";
import {
  addEvent,
  all,
  type Context,
  findTask,
  insert,
  one,
  run,
  TASK_COLUMNS,
  TASK_TABLES,
  toCheckpoint,
  toClaim,
  toComment,
  toProgress,
  toSummary,
  toTask,
} from "./rows.js";

/** Field of a task, its column, and whether it is stored as JSON. */
const COLUMNS: Readonly<Record<string, { column: string; isJson?: boolean }>> = {
  title: { column: "title" },
  description: { column: "description" },
  diagnosis: { column: "diagnosis" },
  qa: { column: "qa" },
  check: { column: "check_command", isJson: true },
  steps: { column: "steps", isJson: true },
  project: { column: "project" },
  kind: { column: "kind" },
  stage: { column: "stage" },
  priority: { column: "priority" },
  score: { column: "score" },
  threshold: { column: "threshold" },
  cycle: { column: "cycle" },
  parent: { column: "parent" },
  tags: { column: "tags", isJson: true },
  blockedBy: { column: "blocked_by", isJson: true },
  workspace: { column: "workspace" },
  maxContinuations: { column: "max_continuations" },
  attempts: { column: "attempts" },
  lastError: { column: "last_error" },
  status: { column: "status" },
  source: { column: "source" },
  sourceKey: { column: "source_key" },
  author: { column: "author" },
};

const cellsOf = (values: Arguments): { column: string; cell: Cell }[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const field = COLUMNS[name];
    if (!field) return [];
    return [{ column: field.column, cell: field.isJson && value !== null ? JSON.stringify(value) : (value as Cell) }];
  });

export function addTask(context: Context, values: Arguments): Task | Refused {
  const { source, sourceKey } = values as { source: string | null; sourceKey: string | null };
  if (source !== null) {
    const known = one(context, "select id from tasks where source = ? and source_key = ?", source, sourceKey);
    if (known) return findTask(context, Number(known.id)) as Task;
  }
  const refused = checkReferences(context, null, values);
  if (refused) return { refused };
  const cells = cellsOf(values);
  const id = insert(
    context,
    `insert into tasks (${cells.map(({ column }) => column).join(", ")}, created_at, updated_at)
     values (${cells.map(() => "?").join(", ")}, ?, ?)`,
    ...cells.map(({ cell }) => cell),
    context.now,
    context.now,
  );
  run(context, "insert into progress (task, created_at, updated_at) values (?, ?, ?)", id, context.now, context.now);
  addEvent(context, "added", id, String(values.author), { status: values.status });
  return findTask(context, id) as Task;
}

/** Parent and blockers have to exist, and no task may wait for itself. */
function checkReferences(context: Context, id: number | null, values: Arguments): Refusal | null {
  const { parent = null, blockedBy = [] } = values as { parent?: number | null; blockedBy?: readonly number[] };
  const exists = (task: number) => one(context, "select 1 from tasks where id = ?", task) !== undefined;
  if (parent !== null && !exists(parent)) return { code: "unknown_parent", task: parent };
  for (const blocker of blockedBy) {
    if (!exists(blocker)) return { code: "unknown_blocker", task: blocker };
    if (id !== null && waitsFor(context, blocker, id)) return { code: "circle", task: id, other: blocker };
  }
  return null;
}

const waitsFor = (context: Context, task: number, other: number): boolean =>
  one(
    context,
    `with recursive chain (id) as (
       select ? union select b.value from chain, tasks t, json_each(t.blocked_by) b where t.id = chain.id)
     select 1 from chain where id = ?`,
    task,
    other,
  ) !== undefined;

export function getTask(context: Context, { id }: Arguments): TaskDetail | Refused {
  const task = findTask(context, Number(id));
  if (!task) return unknown(Number(id));
  const of = <T>(sql: string, convert: (row: ReturnType<typeof all>[number]) => T): T[] =>
    all(context, sql, Number(id)).map(convert);
  return {
    ...task,
    claims: of("select * from claims where task = ? order by fence", toClaim),
    checkpoints: of(
      "select * from (select * from checkpoints where task = ? order by id desc limit 1000) order by id",
      toCheckpoint,
    ),
    comments: of("select * from comments where task = ? order by id", toComment),
    progress: of("select * from progress where task = ? order by id", toProgress),
  };
}

export function listTasks(context: Context, values: Arguments): TaskSummary[] {
  const { where, cells } = conditions(values);
  const order = values.after === null ? "t.priority desc, t.id" : "t.id";
  return all(
    context,
    `select ${TASK_COLUMNS} from ${TASK_TABLES} where ${where} order by ${order} limit ?`,
    ...cells,
    Number(values.limit),
  ).map(toSummary);
}

export function countTasks(context: Context, values: Arguments): Record<string, number> {
  const { where, cells } = conditions(values);
  const rows = all(context, `select t.status, count(*) as n from tasks t where ${where} group by t.status`, ...cells);
  return Object.fromEntries(rows.map(({ status, n }) => [String(status), Number(n)]));
}

function conditions(values: Arguments): { where: string; cells: Cell[] } {
  const parts: string[] = ["true"];
  const cells: Cell[] = [];
  const add = (sql: string, cell: Cell): void => {
    parts.push(sql);
    cells.push(cell);
  };
  for (const [name, column] of Object.entries(FILTERS)) {
    const value = values[name];
    if (value !== null && value !== undefined) add(`t.${column} = ?`, value as Cell);
  }
  if (Array.isArray(values.status)) add("t.status in (select value from json_each(?))", JSON.stringify(values.status));
  if (typeof values.node === "string") add("c.node = ?", values.node);
  if (typeof values.updatedSince === "number") add("t.updated_at >= ?", values.updatedSince);
  if (typeof values.after === "number") add("t.id > ?", values.after);
  for (const tag of (values.tags ?? []) as string[])
    add("exists (select 1 from json_each(t.tags) where value = ?)", tag);
  return { where: parts.join(" and "), cells };
}

const FILTERS = {
  project: "project",
  kind: "kind",
  stage: "stage",
  parent: "parent",
  worker: "worker",
  source: "source",
  sourceKey: "source_key",
} as const;

/** By priority, then age. */
export function nextTask(context: Context, values: Arguments): Task | null {
  const { where, cells } = conditions({ ...values, status: null, after: null });
  const row = one(
    context,
    `select ${TASK_COLUMNS} from ${TASK_TABLES} where t.status = 'pending' and ${where}
       and not exists (select 1 from json_each(t.blocked_by) b join tasks w on w.id = b.value where w.status <> 'done')
     order by t.priority desc, t.id limit 1`,
    ...cells,
  );
  return row ? toTask(row) : null;
}

export function editTask(context: Context, { id, changes, fields, author }: Arguments): Task | Refused {
  const task = findTask(context, Number(id));
  if (!task) return unknown(Number(id));
  const values = changes as Arguments;
  const refused = checkReferences(context, task.id, values) ?? checkSteps(task, values);
  if (refused) return { refused };
  const cells = cellsOf(values);
  if (cells.length === 0) return task;
  run(
    context,
    `update tasks set ${cells.map(({ column }) => `${column} = ?`).join(", ")}, updated_at = ? where id = ?`,
    ...cells.map(({ cell }) => cell),
    context.now,
    task.id,
  );
  if ("steps" in values) run(context, "update progress set mirrored = 0 where task = ?", task.id);
  addEvent(context, "edited", task.id, String(author), { fields });
  return findTask(context, task.id) as Task;
}

/** Completed steps have to keep their numbers, and used continuations stay used. */
function checkSteps({ id, completedSteps, continuations }: Task, values: Arguments): Refusal | null {
  const steps = values.steps as readonly string[] | undefined;
  const last = Math.max(0, ...completedSteps);
  if (steps && steps.length > 0 && last > steps.length)
    return { code: "step_out_of_range", task: id, step: last, steps: steps.length };
  const max = values.maxContinuations as number | undefined;
  if (max !== undefined && max < continuations) return { code: "continuations_used", task: id, used: continuations };
  return null;
}

export function commentTask(context: Context, { id, text, author, fence }: Arguments): Comment | Refused {
  const task = findTask(context, Number(id));
  if (!task) return unknown(Number(id));
  if (fence !== null) {
    const claim = openClaim(context, task.id, Number(fence));
    if ("refused" in claim) return claim;
    recordCheckpoint(context, claim, { step: null, text: String(text).slice(0, 4_000), source: "comment" });
  }
  const comment = insert(
    context,
    "insert into comments (task, fence, author, node, at, text) values (?, ?, ?, ?, ?, ?)",
    task.id,
    fence as number | null,
    String(author),
    context.node,
    context.now,
    String(text),
  );
  return toComment(one(context, "select * from comments where id = ?", comment) ?? {});
}

export function transitionTask(context: Context, values: Arguments): Task | Refused {
  const task = findTask(context, Number(values.id));
  if (!task) return unknown(Number(values.id));
  const operation = values.operation as TaskOperation;
  const actor = values.actor as "user" | "rouse";
  if ((CLAIM_OPERATIONS as readonly TaskOperation[]).includes(operation))
    return { refused: { code: "not_permitted", task: task.id, operation, actor } };
  const changed = checkCondition(context, task, values);
  if (changed) return { refused: changed };
  const next = nextStatus(task.status, operation, actor);
  if ("refused" in next)
    return {
      refused:
        next.refused === "status"
          ? { code: "not_possible", task: task.id, operation, status: task.status }
          : { code: "not_permitted", task: task.id, operation, actor },
    };
  const refused = closeTask(context, task, next.to, values as unknown as Outcome);
  if (refused) return { refused };
  if (task.claim) endClaim(context, task.claim, "revoked", next.to);
  if (operation === "reopen") run(context, "update tasks set continuations = 0 where id = ?", task.id);
  addEvent(context, operation, task.id, String(values.author), { from: task.status, error: values.error ?? undefined });
  return findTask(context, task.id) as Task;
}

function checkCondition(
  context: Context,
  { id, status }: Task,
  { onlyStatus, onlyChildless }: Arguments,
): Refusal | null {
  const child = onlyChildless ? one(context, "select min(id) as id from tasks where parent = ?", id)?.id : null;
  const isAsExpected = (onlyStatus === null || onlyStatus === status) && (child ?? null) === null;
  return isAsExpected
    ? null
    : { code: "changed", task: id, status, child: (child as number | null | undefined) ?? null };
}

const unknown = (task: number): Refused => ({ refused: { code: "unknown_task", task } });
