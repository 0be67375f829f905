/**
 * The shared store of work: tasks, claims, checkpoints, locks and messages. One machine keeps it in SQLite, a fleet in
 * PostgreSQL. It is asynchronous and may be unreachable; the journal of a node stays local and synchronous beside it.
 *
 * A claim of a task gives a lease and a fence. The fence grows with every claim, and every write of a holder carries it:
 * the write of a session that lost its task is refused by the store, however late it arrives.
 */
import type { DecidedOperation, TaskActor, TaskStatus } from "./task-states.js";

/** A claim expires this long after its last renewal; a holder renews it three times in that time while its session is alive. */
export const LEASE_MS = 90_000;
/** A holder renews this often while its session is alive. */
export const RENEW_MS = 30_000;
/** Continuations of one task before it fails. */
export const CONTINUATIONS_MAX = 2;

export type Verification = "verified" | "unverified" | "contradicted";

export interface TaskFields {
  title: string;
  description: string;
  diagnosis: string;
  /** QA requirements. */
  qa: string;
  /** The command that verifies the work, typed or configured by a user; null for none. */
  check: readonly string[] | null;
  /** Numbered from 1. */
  steps: readonly string[];
  project: string;
  kind: string;
  stage: string;
  /** Higher is first. */
  priority: number;
  score: number | null;
  threshold: number | null;
  cycle: number;
  parent: number | null;
  tags: readonly string[];
  blockedBy: readonly number[];
  /** The folder in which the task is worked on. */
  workspace: string | null;
  maxContinuations: number;
}

export type NewTask = Pick<TaskFields, "title"> &
  Partial<TaskFields> & {
    /** Default: pending. */
    status?: "proposed" | "pending";
    /** Where the task comes from, such as beads, and its key there: adding it again returns the existing task. */
    source?: string;
    sourceKey?: string;
  };

/** `attempts` and `lastError` can be reset. */
export type TaskChanges = Partial<TaskFields> & { attempts?: number; lastError?: string | null };

export interface TaskSummary extends Omit<TaskFields, "description" | "diagnosis" | "qa"> {
  id: number;
  status: TaskStatus;
  source: string | null;
  sourceKey: string | null;
  /** The agent of the last claim. */
  worker: string | null;
  /** Claims until now. */
  attempts: number;
  /** How often it was handed to a continuation. */
  continuations: number;
  lastError: string | null;
  verification: Verification | null;
  /** What the session that closed it reported. */
  result: string | null;
  author: string;
  createdAt: number;
  updatedAt: number;
  fence: number;
  /** Null while it is not held. */
  claim: Claim | null;
  /** Of all its sessions. */
  completedSteps: readonly number[];
  lastCheckpoint: number | null;
  lastStep: string | null;
  /** The tasks of `blockedBy` that are not done. */
  waitsFor: readonly number[];
}

export interface Task extends TaskSummary, TaskFields {}

export interface TaskDetail extends Task {
  /** All sessions that held it, oldest first. */
  claims: readonly Claim[];
  /** Oldest first; the newest 1,000. */
  checkpoints: readonly Checkpoint[];
  comments: readonly Comment[];
  progress: readonly ProgressRow[];
}

export interface Holder {
  agent: string;
  session: string;
  /** Default: `LEASE_MS`. Longer for an agent that rouse cannot see, which renews by its checkpoints alone. */
  leaseMs?: number;
}

/** Identifies one holding of a task. */
export interface ClaimRef {
  task: number;
  fence: number;
}

export type ClaimEnd = "done" | "failed" | "blocked" | "released" | "abandoned" | "expired" | "taken_over" | "revoked";

export interface Claim extends ClaimRef {
  node: string;
  agent: string;
  session: string;
  leaseMs: number;
  leaseUntil: number;
  claimedAt: number;
  /** The row of `agent_progress` that this session may update. */
  progressId: number;
  ended: ClaimEnd | null;
  endedAt: number | null;
}

export interface Claimed {
  task: Task;
  claim: Claim;
  /** Another session worked on it before and did not finish: continue at its last checkpoint. */
  isContinuation: boolean;
}

export type CheckpointSource =
  | "claim"
  | "cli"
  | "http"
  | "mcp"
  | "marker"
  | "sql"
  | "comment"
  | "commit"
  | "todo"
  | "tool"
  | "library";

export interface NewCheckpoint {
  /** The step that was completed; without it, progress within a step. */
  step?: number | null;
  text: string;
  source: CheckpointSource;
  /** Concluded by rouse from other evidence. */
  inferred?: boolean;
  /** When it was reported, if it was spooled; default: now. */
  at?: number;
  /** A repetition with the same key changes nothing. */
  key?: string;
}

export interface Checkpoint extends ClaimRef {
  id: number;
  step: number | null;
  text: string;
  source: CheckpointSource;
  inferred: boolean;
  at: number;
}

export interface Comment {
  id: number;
  task: number;
  fence: number | null;
  author: string;
  node: string;
  at: number;
  text: string;
}

/** A row of `agent_progress`. */
export interface ProgressRow {
  id: number;
  task: number;
  fence: number | null;
  agentTaskName: string | null;
  lastCheckpoint: number | null;
  lastStep: string | null;
  completedSteps: readonly number[];
  /** Null until the task is claimed. */
  status: ProgressStatus | null;
  createdAt: number;
  updatedAt: number;
}

export type ProgressStatus = "in_progress" | "stalled" | "completed" | "failed";

/** The longest list. */
export const LIST_MAX = 10_000;

export interface TaskFilter {
  status?: readonly TaskStatus[];
  project?: string;
  kind?: string;
  stage?: string;
  /** Only tasks with all of these tags. */
  tags?: readonly string[];
  parent?: number;
  worker?: string;
  source?: string;
  sourceKey?: string;
  /** Only tasks that this node holds. */
  node?: string;
  /** Only tasks that were changed at this time or later. */
  updatedSince?: number;
  /** Only tasks after this id. Then ordered by id. */
  after?: number;
  limit?: number;
}

export type QueueFilter = Pick<TaskFilter, "project" | "kind" | "stage" | "tags">;

export interface Finish {
  outcome: "done" | "failed" | "blocked";
  /** What blocks it, or why it failed. */
  error?: string;
  /** What the session reported. */
  result?: string;
  /** The result of the task's check. A task with a check is closed as done only if it is verified; else the result is stored. */
  verification?: Verification;
  /** The user's configuration has a check for this task. */
  mustBeVerified?: boolean;
}

/** What a decision was based on: checked in the write itself, so that no other client can be faster. */
export interface TaskCondition {
  status: TaskStatus;
  /** No task names it as its parent. */
  isChildless?: boolean;
}

export interface TransitionOptions {
  actor: Exclude<TaskActor, "holder">;
  /** Who decided: recorded in the events. */
  author: string;
  /** Refused if it no longer holds. */
  onlyIf?: TaskCondition;
  error?: string;
  result?: string;
  verification?: Verification;
  mustBeVerified?: boolean;
}

/** Ended claims: offered again, or failed because no continuation was left. */
export interface Expired {
  claim: Claim;
  outcome: "offered" | "failed";
}

export interface LockRequest {
  project: string;
  name: string;
  holder: string;
  /** The lock is released with this claim. */
  claim?: ClaimRef;
  /** Without it, the lock is held until it is released. */
  leaseMs?: number;
}

export interface LockRelease {
  project: string;
  name: string;
  /** Without it, whatever holds the lock. */
  holder?: string;
  /** Only the lock that was taken then. */
  since?: number;
  author: string;
}

export interface Lock {
  project: string;
  name: string;
  holder: string;
  node: string;
  task: number | null;
  fence: number | null;
  since: number;
  leaseUntil: number | null;
}

export interface HubEvent {
  id: number;
  at: number;
  node: string;
  author: string;
  kind: string;
  task: number | null;
  data: Readonly<Record<string, unknown>>;
}

export interface EventFilter {
  task?: number;
  kind?: string;
  since?: number;
  limit?: number;
}

export interface NewHubMessage {
  receiver: string;
  /** A second message with the same receiver and key is not stored. */
  key: string;
  type: string;
  sender: string;
  payload: unknown;
}

export interface HubMessage extends NewHubMessage {
  /** Grows without gaps per receiver; the cursor of its reader. */
  seq: number;
  at: number;
  ackedAt: number | null;
  ackedBy: string | null;
}

export interface NodeInfo {
  /** Stays the same over restarts of one installation, and differs between installations. */
  instance: string;
  version: string;
}

export interface Joined {
  node: string;
  /** Grows with each join. */
  epoch: number;
  /** The hub's time. */
  now: number;
}

export interface Retention {
  /** Closed tasks that did not change since then, with their claims, checkpoints and comments. */
  tasksBefore: number;
  eventsBefore: number;
  /** Acknowledged messages. */
  messagesBefore: number;
}

export interface Hub {
  readonly engine: "sqlite" | "postgresql";
  /** Registers this node. Refused while another installation uses its name. */
  join(info: NodeInfo): Promise<Joined>;
  /** The hub's clock. */
  now(): Promise<number>;

  add(task: NewTask, author: string): Promise<Task>;
  get(id: number): Promise<TaskDetail>;
  list(filter?: TaskFilter): Promise<TaskSummary[]>;
  /** How many tasks have each status. */
  counts(filter?: Pick<TaskFilter, "updatedSince">): Promise<Record<TaskStatus, number>>;
  edit(id: number, changes: TaskChanges, author: string): Promise<Task>;
  /** A comment of the holder counts as a checkpoint. */
  comment(id: number, text: string, author: string, claim?: ClaimRef): Promise<Comment>;
  /** A decision of a user or of the policy. If the task is held, its claim ends. */
  transition(id: number, operation: DecidedOperation, options: TransitionOptions): Promise<Task>;

  /** The task that `claimNext` would take now. */
  next(filter?: QueueFilter): Promise<Task | null>;
  claimNext(filter: QueueFilter, holder: Holder): Promise<Claimed | null>;
  claim(id: number, holder: Holder): Promise<Claimed>;
  /** One call for all claims of the node. A claim that is not in the answer was lost: stop its session. */
  renew(claims: readonly ClaimRef[]): Promise<Claim[]>;
  checkpoint(claim: ClaimRef, checkpoint: NewCheckpoint): Promise<Checkpoint>;
  finish(claim: ClaimRef, finish: Finish): Promise<Task>;
  /** `abandoned`: the session ended or stalled. It counts as a continuation, and beyond the last one the task fails. */
  release(claim: ClaimRef, options: { reason: string; abandoned?: boolean }): Promise<Task>;
  /**
   * Hands a task from a claim to a new session. A claim of this node can be taken over at any time, so prove first that its
   * session has ended; one of another node after its lease has lapsed. Null: no continuation was left, and the task failed.
   */
  takeOver(from: ClaimRef, holder: Holder, reason: string): Promise<Claimed | null>;
  /** Ends claims whose lease lapsed more than `patienceMs` ago. */
  expire(options: { patienceMs: number }): Promise<Expired[]>;

  takeLock(request: LockRequest): Promise<Lock>;
  /** Returns whether it was held. */
  releaseLock(lock: LockRelease): Promise<boolean>;
  locks(filter?: { project?: string }): Promise<Lock[]>;

  progress(filter?: { task?: number; status?: ProgressStatus }): Promise<ProgressRow[]>;
  /**
   * Takes over what agents wrote to `agent_progress` by SQL since the last call. PostgreSQL does it by a trigger at once, and
   * nothing is left to do.
   */
  collect(): Promise<Checkpoint[]>;
  /** Newest last. */
  events(filter?: EventFilter): Promise<HubEvent[]>;
  prune(retention: Retention): Promise<{ tasks: number; events: number; messages: number }>;

  /** Null if a message with this key exists. */
  send(message: NewHubMessage): Promise<HubMessage | null>;
  read(receiver: string, options?: { after?: number; acked?: boolean; limit?: number }): Promise<HubMessage[]>;
  /** Returns how many messages were open. */
  ack(receiver: string, seqs: readonly number[], by: string): Promise<number>;

  close(): Promise<void>;
}
