/** The hub over a store: checks the input, calls one operation, and throws what the store refused. */
import {
  type Checkpoint,
  type Claim,
  type Claimed,
  type ClaimRef,
  CONTINUATIONS_MAX,
  type Comment,
  type EventFilter,
  type Expired,
  type Finish,
  type Holder,
  type Hub,
  type HubEvent,
  type HubMessage,
  type Joined,
  LEASE_MS,
  LIST_MAX,
  type Lock,
  type LockRelease,
  type LockRequest,
  type NewCheckpoint,
  type NewHubMessage,
  type NewTask,
  type NodeInfo,
  type ProgressRow,
  type ProgressStatus,
  type QueueFilter,
  type Retention,
  type Task,
  type TaskChanges,
  type TaskDetail,
  type TaskFilter,
  type TaskSummary,
  type TransitionOptions,
} from "./hub.js";
import { refusalError } from "./hub-error.js";
import {
  bodyOf,
  checkChanges,
  checkCheckpoint,
  checkHolder,
  checkMessage,
  checkNewTask,
  idOf,
  integerOf,
  LIMITS,
  lineOf,
} from "./input.js";
import { type Arguments, type HubStore, isRefused, type StoreOperation } from "./store.js";
import { type DecidedOperation, TASK_STATUSES, type TaskStatus } from "./task-states.js";

export class StoredHub implements Hub {
  readonly #store: HubStore;

  constructor(store: HubStore) {
    this.#store = store;
  }

  get engine(): Hub["engine"] {
    return this.#store.engine;
  }

  join({ instance, version }: NodeInfo): Promise<Joined> {
    return this.#call("join_node", {
      instance: lineOf(instance, "the installation", LIMITS.name, false),
      version: lineOf(version, "the version", LIMITS.name, false),
    });
  }

  now(): Promise<number> {
    return this.#call("clock_ms", {});
  }

  async add(task: NewTask, author: string): Promise<Task> {
    const values = checkNewTask({ maxContinuations: CONTINUATIONS_MAX, ...task });
    return this.#call("task_add", { ...values, author: authorOf(author) });
  }

  async get(id: number): Promise<TaskDetail> {
    return this.#call("task_get", { id: idOf(id, "the task") });
  }

  list(filter: TaskFilter = {}): Promise<TaskSummary[]> {
    return this.#call("task_list", { ...filterOf(filter), limit: limitOf(filter.limit, 200) });
  }

  async counts({ updatedSince }: Pick<TaskFilter, "updatedSince"> = {}): Promise<Record<TaskStatus, number>> {
    const found = await this.#call<Partial<Record<TaskStatus, number>>>(
      "task_counts",
      filterOf(updatedSince === undefined ? {} : { updatedSince }),
    );
    return Object.fromEntries(TASK_STATUSES.map((status) => [status, found[status] ?? 0])) as Record<
      TaskStatus,
      number
    >;
  }

  async edit(id: number, changes: TaskChanges, author: string): Promise<Task> {
    const values = checkChanges(changes);
    return this.#call("task_edit", {
      id: idOf(id, "the task"),
      changes: values,
      fields: Object.keys(values),
      author: authorOf(author),
    });
  }

  async comment(id: number, text: string, author: string, claim?: ClaimRef): Promise<Comment> {
    return this.#call("task_comment", {
      id: idOf(id, "the task"),
      text: bodyOf(text, "the comment", LIMITS.comment),
      author: authorOf(author),
      fence: claim?.fence ?? null,
    });
  }

  async transition(id: number, operation: DecidedOperation, options: TransitionOptions): Promise<Task> {
    return this.#call("task_transition", {
      id: idOf(id, "the task"),
      operation,
      actor: options.actor,
      author: authorOf(options.author),
      onlyStatus: options.onlyIf?.status ?? null,
      onlyChildless: options.onlyIf?.isChildless ?? false,
      ...outcomeOf(options),
    });
  }

  next(filter: QueueFilter = {}): Promise<Task | null> {
    return this.#call("task_next", filterOf(filter));
  }

  async claimNext(filter: QueueFilter, holder: Holder): Promise<Claimed | null> {
    return this.#call("claim_next", { ...filterOf(filter), ...checkHolder(holder, LEASE_MS) });
  }

  async claim(id: number, holder: Holder): Promise<Claimed> {
    return this.#call("claim_task", { task: idOf(id, "the task"), ...checkHolder(holder, LEASE_MS) });
  }

  async renew(claims: readonly ClaimRef[]): Promise<Claim[]> {
    if (claims.length === 0) return [];
    return this.#call("claim_renew", { claims: claims.map(refOf) });
  }

  async checkpoint(claim: ClaimRef, checkpoint: NewCheckpoint): Promise<Checkpoint> {
    return this.#call("claim_checkpoint", { ...refOf(claim), ...checkCheckpoint(checkpoint) });
  }

  async finish(claim: ClaimRef, { outcome, ...rest }: Finish): Promise<Task> {
    const operation = ({ done: "done", failed: "fail", blocked: "block" } as const)[outcome];
    return this.#call("claim_finish", { ...refOf(claim), outcome, operation, ...outcomeOf(rest) });
  }

  async release(
    claim: ClaimRef,
    { reason, abandoned = false }: { reason: string; abandoned?: boolean },
  ): Promise<Task> {
    return this.#call("claim_release", { ...refOf(claim), reason: reasonOf(reason), abandoned });
  }

  async takeOver(from: ClaimRef, holder: Holder, reason: string): Promise<Claimed | null> {
    return this.#call("claim_take_over", {
      ...refOf(from),
      ...checkHolder(holder, LEASE_MS),
      reason: reasonOf(reason),
    });
  }

  async expire({ patienceMs }: { patienceMs: number }): Promise<Expired[]> {
    return this.#call("claim_expire", { patienceMs: integerOf(patienceMs, "the patience", 0, LIMITS.leaseMs) });
  }

  async takeLock({ project, name, holder, claim, leaseMs }: LockRequest): Promise<Lock> {
    return this.#call("lock_take", {
      project: lineOf(project, "the project", LIMITS.name),
      name: lineOf(name, "the lock", LIMITS.name, false),
      holder: authorOf(holder),
      task: claim?.task ?? null,
      fence: claim?.fence ?? null,
      leaseMs: leaseMs === undefined ? null : integerOf(leaseMs, "the lease", 100, LIMITS.leaseMs),
    });
  }

  async releaseLock(lock: LockRelease): Promise<boolean> {
    return this.#call("lock_release", {
      project: lock.project,
      name: lock.name,
      holder: lock.holder ?? null,
      since: lock.since ?? null,
      author: authorOf(lock.author),
    });
  }

  locks(filter: { project?: string } = {}): Promise<Lock[]> {
    return this.#call("lock_list", { project: filter.project ?? null });
  }

  progress(filter: { task?: number; status?: ProgressStatus } = {}): Promise<ProgressRow[]> {
    return this.#call("progress_list", { task: filter.task ?? null, status: filter.status ?? null });
  }

  collect(): Promise<Checkpoint[]> {
    return this.#call("progress_collect", {});
  }

  async events({ task, kind, since, limit }: EventFilter = {}): Promise<HubEvent[]> {
    return this.#call("event_list", {
      task: task ?? null,
      kind: kind ?? null,
      since: since ?? null,
      limit: limitOf(limit, 1_000),
    });
  }

  prune({ tasksBefore, eventsBefore, messagesBefore }: Retention): Promise<{
    tasks: number;
    events: number;
    messages: number;
  }> {
    return this.#call("prune", { tasksBefore, eventsBefore, messagesBefore });
  }

  async send(message: NewHubMessage): Promise<HubMessage | null> {
    return this.#call("message_send", checkMessage(message));
  }

  async read(
    receiver: string,
    { after = 0, acked = false, limit }: { after?: number; acked?: boolean; limit?: number } = {},
  ): Promise<HubMessage[]> {
    return this.#call("message_read", { receiver, after, acked, limit: limitOf(limit, 500) });
  }

  async ack(receiver: string, seqs: readonly number[], by: string): Promise<number> {
    return this.#call("message_ack", { receiver, seqs: seqs.map((seq) => idOf(seq, "the message")), by: authorOf(by) });
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #call<T>(operation: StoreOperation, values: Arguments): Promise<T> {
    const answer = await this.#store.call(operation, values);
    if (isRefused(answer)) throw refusalError(answer.refused);
    return answer as T;
  }
}

const authorOf = (author: string): string => lineOf(author, "the author", LIMITS.name, false);

/** Cut, not refused: the reason often quotes an agent. */
const reasonOf = (reason: string): string => shorten(reason) ?? "";

const shorten = (text: string | undefined): string | null =>
  text === undefined ? null : bodyOf(text.slice(0, LIMITS.checkpoint), "the text", LIMITS.checkpoint);

const refOf = ({ task, fence }: ClaimRef): ClaimRef => ({
  task: idOf(task, "the task"),
  fence: idOf(fence, "the fence"),
});

const limitOf = (limit: number | undefined, standard: number): number =>
  limit === undefined ? standard : integerOf(limit, "the limit", 1, LIST_MAX);

const outcomeOf = ({ error, result, verification, mustBeVerified = false }: Partial<Finish>): Arguments => ({
  error: shorten(error),
  result: shorten(result),
  verification: verification ?? null,
  mustBeVerified,
});

const filterOf = (filter: TaskFilter): Arguments => ({
  status: filter.status ?? null,
  project: filter.project ?? null,
  kind: filter.kind ?? null,
  stage: filter.stage ?? null,
  tags: filter.tags ?? [],
  parent: filter.parent ?? null,
  worker: filter.worker ?? null,
  source: filter.source ?? null,
  sourceKey: filter.sourceKey ?? null,
  node: filter.node ?? null,
  updatedSince: filter.updatedSince ?? null,
  after: filter.after ?? null,
});
