/** Claims in SQLite. Each operation runs in one immediate transaction, so that what it read still holds when it writes. */
import type { Checkpoint, CheckpointSource, Claim, ClaimEnd, Claimed, Expired, ProgressStatus, Task } from "../hub.js";
import type { Refusal } from "../hub-error.js";
import type { Arguments, Refused } from "../store.js";
import { nextStatus, type TaskOperation, type TaskStatus } from "../task-states.js";
import { addEvent, all, type Context, findTask, insert, json, one, run, toCheckpoint, toClaim } from "./rows.js";

export function claimTask(context: Context, values: Arguments): Claimed | Refused {
  const id = Number(values.task);
  const task = findTask(context, id);
  if (!task) return { refused: { code: "unknown_task", task: id } };
  if (task.claim) return { refused: heldBy(task.claim) };
  if ("refused" in nextStatus(task.status, "claim", "holder"))
    return { refused: { code: "not_possible", task: id, operation: "claim", status: task.status } };
  if (task.waitsFor.length > 0) return { refused: { code: "waits", task: id, waitsFor: task.waitsFor } };
  return beginClaim(context, task, values, "claimed");
}

const heldBy = ({ task, agent, node, leaseUntil }: Claim): Refusal => ({
  code: "held",
  task,
  agent,
  node,
  until: new Date(leaseUntil).toISOString(),
});

/** The claim writes checkpoint 0, so that a crash before the first report loses nothing. */
function beginClaim(context: Context, task: Task, values: Arguments, kind: string): Claimed {
  const { now, node } = context;
  const fence = task.fence + 1;
  const agent = String(values.agent);
  const leaseMs = Number(values.leaseMs);
  run(
    context,
    "update tasks set fence = ?, status = 'in_progress', worker = ?, attempts = attempts + 1, updated_at = ? where id = ?",
    fence,
    agent,
    now,
    task.id,
  );
  const progress = beginProgress(context, task, fence, agent);
  run(
    context,
    `insert into claims (task, fence, node, agent, session, progress_id, lease_ms, lease_until, claimed_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    task.id,
    fence,
    node,
    agent,
    String(values.session),
    progress,
    leaseMs,
    now + leaseMs,
    now,
  );
  const claim = toClaim(one(context, "select * from claims where task = ? and fence = ?", task.id, fence) ?? {});
  recordCheckpoint(context, claim, { step: 0, text: "Claimed", source: "claim" });
  addEvent(context, kind, task.id, agent, { fence, session: values.session, reason: values.reason });
  const claimed = findTask(context, task.id) as Task;
  return { task: claimed, claim, isContinuation: claimed.continuations > 0 };
}

/** The first session takes the row that was created with the task; each later one gets its own. */
function beginProgress(context: Context, task: Task, fence: number, agent: string): number {
  const { now } = context;
  const name = `${agent}-${task.id}`;
  const unused = one(context, "select id from progress where task = ? and fence is null", task.id);
  if (unused) {
    run(
      context,
      "update progress set fence = ?, agent_task_name = ?, status = 'in_progress', updated_at = ?, mirrored = 0 where id = ?",
      fence,
      name,
      now,
      Number(unused.id),
    );
    return Number(unused.id);
  }
  return insert(
    context,
    `insert into progress (task, fence, agent_task_name, last_step, completed_steps, status, created_at, updated_at)
     values (?, ?, ?, ?, ?, 'in_progress', ?, ?)`,
    task.id,
    fence,
    name,
    task.lastStep,
    JSON.stringify(task.completedSteps),
    now,
    now,
  );
}

/** The claim, if this node holds it. */
export function openClaim(context: Context, task: number, fence: number): Claim | Refused {
  const row = one(context, "select * from claims where task = ? and fence = ?", task, fence);
  const claim = row ? toClaim(row) : null;
  if (claim && claim.ended === null) return claim.node === context.node ? claim : { refused: heldBy(claim) };
  const known = one(
    context,
    "select t.fence, c.agent from tasks t left join claims c on c.task = t.id and c.ended is null where t.id = ?",
    task,
  );
  if (!known) return { refused: { code: "unknown_task", task } };
  const agent = known.agent === null ? null : String(known.agent);
  return {
    refused: { code: "stale_fence", task, fence, ended: claim?.ended ?? null, current: Number(known.fence), agent },
  };
}

interface NewRecord {
  step: number | null;
  text: string;
  source: CheckpointSource;
  inferred?: boolean;
  at?: number | null;
  key?: string | null;
}

/** A report is a sign of life too: it renews the lease. */
export function recordCheckpoint(context: Context, claim: Claim, record: NewRecord): Checkpoint {
  const { now } = context;
  const { step, text, source, inferred = false, key = null } = record;
  const at = Math.max(claim.claimedAt, Math.min(record.at ?? now, now));
  const known =
    key === null
      ? undefined
      : one(
          context,
          "select * from checkpoints where task = ? and fence = ? and key = ?",
          claim.task,
          claim.fence,
          key,
        );
  if (known) return toCheckpoint(known);
  const id = insert(
    context,
    "insert into checkpoints (task, fence, step, text, source, inferred, at, key) values (?, ?, ?, ?, ?, ?, ?, ?)",
    claim.task,
    claim.fence,
    step,
    text,
    source,
    inferred ? 1 : 0,
    at,
    key,
  );
  if (!inferred)
    run(
      context,
      "update claims set lease_until = max(lease_until, ? + lease_ms) where task = ? and fence = ?",
      now,
      claim.task,
      claim.fence,
    );
  const progress = one(context, "select completed_steps from progress where id = ?", claim.progressId);
  const steps = new Set(json<number[]>(progress?.completed_steps ?? "[]"));
  if (step !== null && step > 0) steps.add(step);
  run(
    context,
    `update progress set last_checkpoint = max(coalesce(last_checkpoint, 0), ?), completed_steps = ?, updated_at = ?, mirrored = 0,
       last_step = case when ? then last_step else ? end where id = ?`,
    at,
    JSON.stringify([...steps].sort((a, b) => a - b)),
    now,
    // A continuation starts at what its predecessor did last.
    source === "claim" ? 1 : 0,
    text,
    claim.progressId,
  );
  return toCheckpoint(one(context, "select * from checkpoints where id = ?", id) ?? {});
}

export function addCheckpoint(context: Context, values: Arguments): Checkpoint | Refused {
  const { task, fence, step } = values as { task: number; fence: number; step: number | null };
  const claim = openClaim(context, task, fence);
  if ("refused" in claim) {
    recordRefusal(context, task, fence, String(values.text), claim.refused);
    return claim;
  }
  const refused = checkStep(context, task, step);
  if (refused) return { refused };
  return recordCheckpoint(context, claim, values as unknown as NewRecord);
}

/** A late report of a session that lost its task is evidence. */
export function recordRefusal(context: Context, task: number, fence: number, text: string, refusal: Refusal): void {
  if (refusal.code === "stale_fence") addEvent(context, "checkpoint_refused", task, "rouse", { fence, text });
}

export function checkStep(context: Context, task: number, step: number | null): Refusal | null {
  if (step === null || step === 0) return null;
  const steps = json<string[]>(one(context, "select steps from tasks where id = ?", task)?.steps ?? "[]").length;
  return steps > 0 && step > steps ? { code: "step_out_of_range", task, step, steps } : null;
}

export function renewClaims(context: Context, { claims }: Arguments): Claim[] {
  return (claims as { task: number; fence: number }[]).flatMap(({ task, fence }) => {
    const row = one(
      context,
      `update claims set lease_until = max(lease_until, ? + lease_ms)
       where task = ? and fence = ? and node = ? and ended is null returning *`,
      context.now,
      task,
      fence,
      context.node,
    );
    return row ? [toClaim(row)] : [];
  });
}

const PROGRESS_AT: Readonly<Partial<Record<TaskStatus, ProgressStatus>>> = {
  done: "completed",
  failed: "failed",
  blocked: "failed",
};

/** Its locks go with it. */
export function endClaim(context: Context, { task, fence, progressId }: Claim, ended: ClaimEnd, to: TaskStatus): void {
  const { now } = context;
  run(context, "update claims set ended = ?, ended_at = ? where task = ? and fence = ?", ended, now, task, fence);
  run(context, "delete from locks where task = ? and fence = ?", task, fence);
  run(
    context,
    "update progress set status = ?, updated_at = ?, mirrored = 0 where id = ?",
    PROGRESS_AT[to] ?? "stalled",
    now,
    progressId,
  );
}

export interface Outcome {
  error: string | null;
  result: string | null;
  verification: string | null;
  mustBeVerified?: boolean;
}

export function closeTask(
  context: Context,
  { id, check }: Pick<Task, "id" | "check">,
  to: TaskStatus,
  { error, result, verification, mustBeVerified = false }: Outcome,
): Refusal | null {
  if (to === "done" && (check !== null || mustBeVerified) && verification !== "verified") {
    if (verification !== null) recordCheck(context, id, verification, error);
    return { code: "unverified", task: id, verification };
  }
  run(
    context,
    `update tasks set status = ?, last_error = coalesce(?, last_error), result = coalesce(?, result),
       verification = coalesce(?, verification), updated_at = ? where id = ?`,
    to,
    error,
    result,
    verification,
    context.now,
    id,
  );
  return null;
}

/** The task stays open; why is shown to its holder and to the user. */
function recordCheck(context: Context, task: number, verification: string, error: string | null): void {
  run(
    context,
    "update tasks set verification = ?, last_error = coalesce(?, last_error), updated_at = ? where id = ?",
    verification,
    error,
    context.now,
    task,
  );
  addEvent(context, "check", task, "rouse", { verification, error: error ?? undefined });
}

export function finishClaim(context: Context, values: Arguments): Task | Refused {
  const id = Number(values.task);
  const claim = openClaim(context, id, Number(values.fence));
  if ("refused" in claim) return claim;
  const task = findTask(context, id) as Task;
  const operation = values.operation as TaskOperation;
  const next = nextStatus(task.status, operation, "holder");
  if ("refused" in next) return { refused: { code: "not_possible", task: id, operation, status: task.status } };
  const refused = closeTask(context, task, next.to, values as unknown as Outcome);
  if (refused) return { refused };
  endClaim(context, claim, values.outcome as ClaimEnd, next.to);
  const data = { fence: claim.fence, error: values.error ?? undefined, verification: values.verification ?? undefined };
  addEvent(context, operation, id, claim.agent, data);
  return findTask(context, id) as Task;
}

export function releaseClaim(context: Context, values: Arguments): Task | Refused {
  const claim = openClaim(context, Number(values.task), Number(values.fence));
  if ("refused" in claim) return claim;
  const reason = String(values.reason);
  if (values.abandoned === true) offerAgain(context, claim, "abandoned", reason);
  else {
    run(context, "update tasks set status = 'pending', updated_at = ? where id = ?", context.now, claim.task);
    endClaim(context, claim, "released", "pending");
    addEvent(context, "release", claim.task, claim.agent, { fence: claim.fence, reason });
  }
  return findTask(context, claim.task) as Task;
}

/** Counts as a continuation; beyond the last one the task fails. */
function offerAgain(context: Context, claim: Claim, ended: ClaimEnd, reason: string): Expired["outcome"] {
  const isLeft = useContinuation(context, claim, reason);
  if (isLeft) run(context, "update tasks set status = 'pending', updated_at = ? where id = ?", context.now, claim.task);
  endClaim(context, claim, ended, isLeft ? "pending" : "failed");
  addEvent(context, isLeft ? ended : "fail", claim.task, "rouse", { fence: claim.fence, reason });
  return isLeft ? "offered" : "failed";
}

function useContinuation(context: Context, { task }: Claim, reason: string): boolean {
  const isLeft = run(
    context,
    "update tasks set continuations = continuations + 1 where id = ? and continuations < max_continuations",
    task,
  );
  if (isLeft > 0) return true;
  closeTask(context, { id: task, check: null }, "failed", { error: reason, result: null, verification: null });
  return false;
}

export function takeOver(context: Context, values: Arguments): Claimed | null | Refused {
  const { task: id, fence } = values as { task: number; fence: number };
  const row = one(context, "select * from claims where task = ? and fence = ? and ended is null", id, fence);
  const found = row ? toClaim(row) : openClaim(context, id, fence);
  if ("refused" in found) return found;
  if (found.node !== context.node && found.leaseUntil >= context.now) return { refused: heldBy(found) };
  const reason = String(values.reason);
  if (!useContinuation(context, found, reason)) {
    endClaim(context, found, "taken_over", "failed");
    addEvent(context, "fail", id, "rouse", { fence, reason });
    return null;
  }
  endClaim(context, found, "taken_over", "in_progress");
  return beginClaim(context, findTask(context, id) as Task, values, "take_over");
}

export function expireClaims(context: Context, { patienceMs }: Arguments): Expired[] {
  const before = context.now - Number(patienceMs);
  const lapsed = all(context, "select * from claims where ended is null and lease_until < ? order by task", before);
  return lapsed.map(toClaim).map((claim) => {
    const outcome = offerAgain(context, claim, "expired", `the lease of ${claim.agent} lapsed`);
    const ended = one(context, "select * from claims where task = ? and fence = ?", claim.task, claim.fence) ?? {};
    return { claim: toClaim(ended), outcome };
  });
}
