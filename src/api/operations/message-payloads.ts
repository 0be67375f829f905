/** Payload schemas of all message types, for the OpenAPI document and for clients that check messages. */
import * as z from "zod";
import { MOVES } from "../../core/move.js";
import { MESSAGE_TYPES, type MessageType, type Payload } from "../../core/notices/message.js";
import { PROMPT_KINDS } from "../../core/states.js";

const time = z.string().describe("ISO 8601");
const words = z.array(z.string());

const about = {
  worker_id: z.string().describe("give it as pane_id"),
  worker_name: z.string(),
  worker_kind: z.string(),
  task: z.string().nullable(),
  incident_id: z.string().nullable().describe("the same in all messages about one problem"),
  cause: z.string().nullable(),
  move: z.enum(MOVES).describe("what has to act next"),
  confidence: z.number().min(0).max(1),
  reasons: words,
  suggested_actions: z.array(
    z.strictObject({
      what: z.string(),
      tool: z.string().nullable(),
      arguments: z.record(z.string(), z.string()),
      command: words,
    }),
  ),
};
const lasting = { last_activity: time.nullable(), duration_secs: z.number().min(0) };

export const MESSAGE_PAYLOADS = {
  "worker.stuck": z.strictObject({
    ...about,
    ...lasting,
    intervals_stuck: z.number().int().min(0),
    last_output_preview: z.string(),
    until: time.nullable(),
  }),
  "worker.error": z.strictObject({ ...about, ...lasting, error_context: z.string(), output_tail: words }),
  "worker.complete": z.strictObject({
    ...about,
    outcome: z.enum(["success", "failure", "unknown"]),
    completion_message: z.string(),
  }),
  "worker.needs_input": z.strictObject({ ...about, prompt_type: z.enum(PROMPT_KINDS), prompt_preview: z.string() }),
  "worker.recovered": z.strictObject({
    ...about,
    was: z.enum(MESSAGE_TYPES),
    proven: z.boolean(),
    duration_secs: z.number().min(0),
    done: words,
  }),
  "worker.escalated": z.strictObject({
    ...about,
    ...lasting,
    reason: z.string(),
    done: words,
    last_output_preview: z.string(),
  }),
  "watchdog.blind": z.strictObject({ ...about, ...lasting, reason: z.string() }),
} as const satisfies { [T in MessageType]: z.ZodType<Payload<T>> };
