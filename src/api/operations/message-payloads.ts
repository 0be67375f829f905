/** Payload schemas of all message types, for the OpenAPI document and for clients that check messages. */
import * as z from "zod";
import { MOVES } from "../../core/move.js";
import { MESSAGE_TYPES, type MessageType, type Payload } from "../../core/notices/message.js";
import { PROMPT_KINDS } from "../../core/states.js";

const time = z.string().describe("ISO 8601");
const words = z.array(z.string());

const about = {
  worker_id: z.string().describe("id of the session; give it as pane_id"),
  worker_name: z.string(),
  worker_kind: z.string(),
  task: z.string().nullable(),
  incident_id: z.string().nullable().describe("the same in all messages about one problem"),
  cause: z
    .string()
    .nullable()
    .describe(
      "problem of the incident, such as silent_stream, rate_limited or needs_input; not the cause of the state (limit, permission). Null in worker.complete",
    ),
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
const lasting = (from: string) => ({
  last_activity: time.nullable().describe("last new text, record, event or received bytes, ISO 8601"),
  duration_secs: z.number().min(0).describe(from),
});
const SINCE_ACTIVITY =
  "since last_activity; of a problem that comes with activity, such as a loop, since its detection. Unobserved time does not count";
const SINCE_DETECTION = "since the detection of the problem; unobserved time does not count";

export const MESSAGE_PAYLOADS = {
  "worker.stuck": z.strictObject({
    ...about,
    ...lasting(SINCE_ACTIVITY),
    intervals_stuck: z.number().int().min(0).describe("duration_secs in checks of watchdog.poll_interval_secs"),
    last_output_preview: z.string(),
    until: time.nullable().describe("end of a limit, ISO 8601"),
  }),
  "worker.error": z.strictObject({
    ...about,
    ...lasting(SINCE_DETECTION),
    error_context: z.string().describe("the error as the program states it"),
    output_tail: words.describe("last lines of its screen"),
  }),
  "worker.complete": z.strictObject({
    ...about,
    outcome: z.enum(["success", "failure", "unknown"]),
    completion_message: z.string(),
  }),
  "worker.needs_input": z.strictObject({ ...about, prompt_type: z.enum(PROMPT_KINDS), prompt_preview: z.string() }),
  "worker.recovered": z.strictObject({
    ...about,
    was: z.enum(MESSAGE_TYPES).describe("type of the last message that reported the problem"),
    proven: z.boolean().describe("true: new work was seen; false: the problem is only no longer seen"),
    duration_secs: z.number().min(0).describe("from the detection of the problem to its end"),
    done: words.describe("actions of rouse with their results, oldest first"),
  }),
  "worker.escalated": z.strictObject({
    ...about,
    ...lasting(`of a stall or a limit as in worker.stuck, otherwise ${SINCE_DETECTION}`),
    reason: z.string().describe("why it needs you"),
    done: words.describe("actions of rouse with their results, oldest first"),
    last_output_preview: z.string(),
  }),
  "watchdog.blind": z.strictObject({ ...about, ...lasting("since rouse last saw the agent"), reason: z.string() }),
} as const satisfies { [T in MessageType]: z.ZodType<Payload<T>> };
