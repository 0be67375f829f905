/** Nodes, locks, events, messages and retention in SQLite. */
import type { Cell } from "../../store/sqlite.js";
import type { HubEvent, HubMessage, Joined, Lock, ProgressRow } from "../hub.js";
import type { Arguments, Refused } from "../store.js";
import { CLOSED } from "../task-states.js";
import { openClaim } from "./claims.js";
import { addEvent, all, type Context, one, run, toEvent, toLock, toMessage, toProgress } from "./rows.js";

/** One file belongs to one installation, so its node is never taken: the last process counts. */
export function joinNode(context: Context, { instance, version }: Arguments): Joined {
  const { node, now } = context;
  const row = one(
    context,
    `insert into nodes (id, instance, epoch, version, joined_at) values (?, ?, 1, ?, ?)
     on conflict (id) do update set instance = excluded.instance, epoch = epoch + 1, version = excluded.version,
       joined_at = excluded.joined_at
     returning epoch`,
    node,
    String(instance),
    String(version),
    now,
  );
  return { node, epoch: Number(row?.epoch), now };
}

export function takeLock(context: Context, values: Arguments): Lock | Refused {
  const { project, name, holder, task, fence, leaseMs } = values as {
    project: string;
    name: string;
    holder: string;
    task: number | null;
    fence: number | null;
    leaseMs: number | null;
  };
  const { now, node } = context;
  if (task !== null) {
    const claim = openClaim(context, task, Number(fence));
    if ("refused" in claim) return claim;
  }
  const held = findLock(context, project, name);
  const isFree = !held || (held.leaseUntil !== null && held.leaseUntil < now);
  if (!isFree && (held.holder !== holder || held.node !== node || held.task !== task))
    return {
      refused: { code: "lock_held", project, name, holder: held.holder, node: held.node, since: isoOf(held.since) },
    };
  run(
    context,
    `insert or replace into locks (project, name, holder, node, task, fence, since, lease_until)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    project,
    name,
    holder,
    node,
    task,
    fence,
    isFree ? now : held.since,
    leaseMs === null ? null : now + leaseMs,
  );
  if (isFree) addEvent(context, "lock_taken", task, holder, { project, name });
  return findLock(context, project, name) as Lock;
}

const isoOf = (at: number): string => new Date(at).toISOString();

function findLock(context: Context, project: string, name: string): Lock | null {
  const row = one(context, "select * from locks where project = ? and name = ?", project, name);
  return row ? toLock(row) : null;
}

export function releaseLock(context: Context, { project, name, holder, since, author }: Arguments): boolean {
  const held = findLock(context, String(project), String(name));
  if (!held || (holder !== null && held.holder !== holder) || (since !== null && held.since !== since)) return false;
  run(context, "delete from locks where project = ? and name = ?", held.project, held.name);
  addEvent(context, "lock_released", held.task, String(author), { project, name, holder: held.holder });
  return true;
}

export function listLocks(context: Context, { project }: Arguments): Lock[] {
  return all(
    context,
    "select * from locks where ?1 is null or project = ?1 order by project, name",
    project as string | null,
  ).map(toLock);
}

export function listProgress(context: Context, { task, status }: Arguments): ProgressRow[] {
  return all(
    context,
    "select * from progress where (?1 is null or task = ?1) and (?2 is null or status = ?2) order by id",
    task as number | null,
    status as string | null,
  ).map(toProgress);
}

export function listEvents(context: Context, { task, kind, since, limit }: Arguments): HubEvent[] {
  return all(
    context,
    `select * from (select * from events where (?1 is null or task = ?1) and (?2 is null or kind = ?2)
       and (?3 is null or at >= ?3) order by id desc limit ?4) order by id`,
    task as number | null,
    kind as string | null,
    since as number | null,
    Number(limit),
  ).map(toEvent);
}

/** A closed task stays while an open one refers to it. */
export function prune(
  context: Context,
  { tasksBefore, eventsBefore, messagesBefore }: Arguments,
): {
  tasks: number;
  events: number;
  messages: number;
} {
  const closed = CLOSED.map((status) => `'${status}'`).join(", ");
  return {
    tasks: run(
      context,
      `delete from tasks where status in (${closed}) and updated_at < ? and not exists (
         select 1 from tasks o where o.status not in (${closed}) and (o.parent = tasks.id
           or exists (select 1 from json_each(o.blocked_by) where value = tasks.id)))`,
      Number(tasksBefore),
    ),
    events: run(context, "delete from events where at < ?", Number(eventsBefore)),
    messages: run(context, "delete from messages where acked_at < ?", Number(messagesBefore)),
  };
}

export function sendMessage(context: Context, values: Arguments): HubMessage | null {
  const { receiver, key, type, sender, payload } = values as Record<string, string> & { payload: unknown };
  if (one(context, "select 1 from messages where receiver = ? and key = ?", receiver as string, key as string))
    return null;
  const inbox = one(
    context,
    "insert into inboxes values (?, 1) on conflict (receiver) do update set last = last + 1 returning last",
    receiver as string,
  );
  const cells: Cell[] = [receiver, inbox?.last, key, type, sender, JSON.stringify(payload), context.now] as Cell[];
  run(
    context,
    "insert into messages (receiver, seq, key, type, sender, payload, at) values (?, ?, ?, ?, ?, ?, ?)",
    ...cells,
  );
  return toMessage(
    one(context, "select * from messages where receiver = ? and key = ?", receiver as string, key as string) ?? {},
  );
}

export function readMessages(context: Context, { receiver, after, acked, limit }: Arguments): HubMessage[] {
  return all(
    context,
    "select * from messages where receiver = ? and seq > ? and (? or acked_at is null) order by seq limit ?",
    String(receiver),
    Number(after),
    acked === true ? 1 : 0,
    Number(limit),
  ).map(toMessage);
}

export function ackMessages(context: Context, { receiver, seqs, by }: Arguments): number {
  return run(
    context,
    `update messages set acked_at = ?, acked_by = ?
     where receiver = ? and acked_at is null and seq in (select value from json_each(?))`,
    context.now,
    String(by),
    String(receiver),
    JSON.stringify(seqs),
  );
}
