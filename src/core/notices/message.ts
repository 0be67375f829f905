/** Messages to orchestrators (`worker.*`), as stored and read. */
import type { Move } from "../move.js";
import type { PromptKind } from "../states.js";

export const MESSAGE_TYPES = [
  "worker.stuck",
  "worker.error",
  "worker.complete",
  "worker.needs_input",
  "worker.recovered",
  "worker.escalated",
  "watchdog.blind",
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

export interface Suggestion {
  what: string;
  /** Null if no tool does it: it is for a user. */
  tool: string | null;
  arguments: Readonly<Record<string, string>>;
  /** The same for a shell, as an argument array. */
  command: readonly string[];
}

/** Common fields of all messages about an agent. */
export interface CommonPayload {
  worker_id: string;
  worker_name: string;
  worker_kind: string;
  task: string | null;
  incident_id: string | null;
  cause: string | null;
  /** What has to act next. */
  move: Move;
  confidence: number;
  reasons: string[];
  suggested_actions: Suggestion[];
}

interface DurationPayload {
  last_activity: string | null;
  duration_secs: number;
}

/** The additional fields of each type. */
export interface Payloads {
  "worker.stuck": DurationPayload & { intervals_stuck: number; last_output_preview: string; until: string | null };
  "worker.error": DurationPayload & { error_context: string; output_tail: string[] };
  "worker.complete": { outcome: "success" | "failure" | "unknown"; completion_message: string };
  "worker.needs_input": { prompt_type: PromptKind; prompt_preview: string };
  /** `proven` is false if the problem is only no longer seen. */
  "worker.recovered": { was: MessageType; proven: boolean; duration_secs: number; done: string[] };
  "worker.escalated": DurationPayload & { reason: string; done: string[]; last_output_preview: string };
  "watchdog.blind": DurationPayload & { reason: string };
}

export type Payload<T extends MessageType = MessageType> = CommonPayload & Payloads[T];

/** One message. `key` is equal for the same edge of the same incident. */
export interface Message<T extends MessageType = MessageType> {
  key: string;
  type: T;
  at: number;
  payload: Payload<T>;
}
