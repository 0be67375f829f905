/** What a database does for the hub: operations by name. Every write is one transaction, and all refusals leave it unchanged. */
import type { Refusal } from "./hub-error.js";

export type Arguments = Readonly<Record<string, unknown>>;

/** PostgreSQL has one function per name; SQLite one entry in a table. The fleet adds its own. */
export type StoreOperation =
  | FleetOperation
  | "join_node"
  | "clock_ms"
  | "task_add"
  | "task_get"
  | "task_list"
  | "task_counts"
  | "task_edit"
  | "task_comment"
  | "task_transition"
  | "task_next"
  | "claim_next"
  | "claim_task"
  | "claim_renew"
  | "claim_checkpoint"
  | "claim_finish"
  | "claim_release"
  | "claim_take_over"
  | "claim_expire"
  | "lock_take"
  | "lock_release"
  | "lock_list"
  | "progress_list"
  | "progress_collect"
  | "event_list"
  | "prune"
  | "message_send"
  | "message_read"
  | "message_ack";

/** On PostgreSQL only. */
export type FleetOperation =
  | "node_start"
  | "node_flush"
  | "fleet_follow"
  | "node_stop"
  | "node_leave"
  | "command_send"
  | "command_take"
  | "command_finish"
  | "command_read"
  | "alert_take"
  | "alert_settle";

export interface HubStore {
  readonly engine: "sqlite" | "postgresql";
  call(operation: StoreOperation, values: Arguments): Promise<unknown>;
  close(): Promise<void>;
}

/** A refused operation; whatever it recorded about the refusal was stored. */
export interface Refused {
  refused: Refusal;
}

export function isRefused(answer: unknown): answer is Refused {
  return typeof answer === "object" && answer !== null && "refused" in answer;
}
