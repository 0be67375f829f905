/** Records that several operations return. Tests compare real answers with these, field by field. */
import * as z from "zod";
import { ACTION_NAMES } from "../../core/action.js";
import { ORIGINS } from "../../core/agent.js";
import { PHASES } from "../../core/incidents/incident.js";
import { PROBLEMS } from "../../core/incidents/problem.js";
import { MOVES } from "../../core/move.js";
import type { MESSAGE_TYPES } from "../../core/notices/message.js";
import { PROMPT_KINDS, STATES } from "../../core/states.js";
import { MESSAGE_PAYLOADS } from "./message-payloads.js";

export const time = z.string().describe("ISO 8601");
export const texts = z.array(z.string());
export const moveField = z
  .enum(MOVES)
  .describe(
    "what has to act next: you; none (a stall); provider (see until); child; agent. Lists are sorted in this order, but results and idle agents, whose move is you too, come after none",
  );
const originField = z.enum(ORIGINS);
const stepProof = z
  .boolean()
  .nullable()
  .describe(
    "the effect of the step was seen: after a nudge a turn started, after an interrupt it ended, after a stop the process is gone; null: unknown. It does not prove recovery",
  );

export const agentRecord = z.object({
  name: z.string(),
  kind: z.string().describe("program, such as claude-code"),
  session: z.string().describe("id of this run; pane_id over MCP, worker_id in messages"),
  origin: originField.describe("how rouse found the agent"),
  tags: texts,
  workspace: z.string().nullable().describe("folder that the agent works in"),
  task: z.string().nullable(),
  pid: z.number().nullable(),
  state: z.enum(STATES),
  cause: z.string().nullable(),
  move: moveField,
  question: z.string().nullable().describe("what it asks you, in needs_input; otherwise null"),
  level: z.enum(["report", "act"]).describe("act: certain enough for rouse to act"),
  confidence: z.number().describe("0 to 1"),
  since: time.describe("detection of the state; a stall began earlier, see last_activity. ISO 8601"),
  until: time
    .nullable()
    .describe(
      "rate_limited: end of the limit; waiting: time at which the wait becomes a problem; otherwise null. ISO 8601",
    ),
  doing: z.string().describe("current tool or question; empty if there is none"),
  reasons: texts,
  last_activity: time.describe("last status, report or progress; the start of the agent if there was none"),
  last_output: time.nullable().describe("last output in its terminal, ISO 8601"),
  tokens_per_hour: z.number(),
  cost_usd_per_hour: z.number(),
  cost_usd_24h: z.number().nullable().describe("cost of this run in the last 24 hours; null if no price is known"),
  spend: z
    .object({
      since: time,
      until: time,
      tokens: z.number(),
      tokens_budget: z.number().nullable(),
      cost_usd: z.number().nullable(),
      cost_usd_budget: z.number().nullable(),
      unpriced_tokens: z.number().describe("tokens without a known price; not included in cost_usd"),
      is_over: z.boolean(),
      notes: texts,
    })
    .nullable()
    .describe("usage in this budget period; null without a budget"),
  healthy: z
    .boolean()
    .describe(
      "false in stuck, error, needs_input, gone and unknown, and while the dialog of a limit waits for the user",
    ),
  unobserved: z.object({ since: time, reason: z.string() }).nullable().describe("set while rouse cannot see the agent"),
  started_at: time,
  ended_at: time.nullable(),
});

/** A session as its host registered it. */
export const sessionRecord = z.object({
  id: z.string().describe("session of the record Agent"),
  name: z.string(),
  kind: z.string(),
  tags: texts,
  origin: originField,
  command: texts,
  workspace: z.string().nullable(),
  task: z.string().nullable(),
  policy: z.string().nullable(),
  pid: z.number().nullable(),
  pid_start: z.string().nullable().describe("start of that process as the system reports it: tells a reused pid"),
  started_at: time,
  host_socket: z.string().nullable().describe("socket of the process that holds its terminal"),
  pane: z.object({ socket: z.string(), id: z.string() }).nullable().describe("of an agent in tmux"),
  account: z.string().nullable().describe("the account that it uses, if known; agents of one account share its limits"),
  ended_at: time.nullable(),
});

export const actionName = z.enum(ACTION_NAMES as [string, ...string[]]);

export const incidentRecord = z.object({
  id: z.string(),
  agent: z.string(),
  session: z.string(),
  kind: z.string(),
  problem: z.enum(PROBLEMS).describe("such as silent_stream"),
  earlier_problems: texts.describe("earlier names of the same problem, oldest first"),
  phase: z.enum(PHASES).describe("see acked_at and silenced_until too"),
  opened_at: time.describe("first detection, ISO 8601"),
  since: time.describe("detection of the present occurrence: later than opened_at if it was reopened. ISO 8601"),
  ended_at: time.nullable(),
  level: z.enum(["report", "act"]),
  confidence: z.number(),
  until: time.nullable(),
  reasons: texts,
  outage: z
    .object({ id: z.string(), group: z.string(), shared: z.string(), incidents: z.number() })
    .nullable()
    .describe(
      "outage that it belongs to: group (limit, service, login, machine), what its agents share, number of incidents",
    ),
  acked_at: time.nullable(),
  silenced_until: time.nullable(),
  feedback: z.enum(["false-alarm", "right"]).nullable(),
  reopened: z.number().describe("number of times that the problem returned"),
  policy: z.string().nullable(),
  allowed: z.boolean().describe("auto-recovery is on for this agent and problem"),
  actions: z
    .array(
      z.object({
        at: time,
        do: actionName,
        result: z.enum(["done", "refused", "failed", "unknown", "pending"]),
        reason: z.string(),
        proven: stepProof,
      }),
    )
    .describe("actions taken"),
  next: z
    .object({ do: actionName.nullable(), at: time.nullable(), reason: z.string() })
    .nullable()
    .describe("next step; null when the incident is closed"),
  withheld_step: actionName.nullable().describe("step that was not permitted"),
  opinion: z
    .object({ diagnosis: z.string(), at: time, text: z.string() })
    .nullable()
    .describe("what a model says about it (see diagnoses); null for none"),
  commands: texts.describe("suggested commands"),
});

/** Fields of every message. */
const envelope = {
  cursor: z.number().describe("position in the inbox: give it as after to read on, or as up_to to acknowledge"),
  key: z.string().describe("the same if the message is created again"),
  target: z.object({ tag: z.string() }),
  from: z.string().describe("name of the sender"),
  at: time,
  acked_at: time.nullable(),
  acked_by: z.string().nullable().describe("the client that acknowledged it: user, agent NAME or token NAME"),
};

const notice = <T extends (typeof MESSAGE_TYPES)[number]>(type: T) =>
  z.object({ ...envelope, source: z.literal("rouse"), msg_type: z.literal(type), payload: MESSAGE_PAYLOADS[type] });

/** Messages of rouse itself: the payload follows from `msg_type`. */
const noticeRecord = z.discriminatedUnion("msg_type", [
  notice("worker.stuck"),
  notice("worker.error"),
  notice("worker.complete"),
  notice("worker.needs_input"),
  notice("worker.recovered"),
  notice("worker.escalated"),
  notice("watchdog.blind"),
]);

/** Messages that a client sent: rouse has not checked the payload. */
const clientMessageRecord = z.object({
  ...envelope,
  source: z.literal("client"),
  msg_type: z.string(),
  payload: z.unknown(),
});

export const messageRecord = z.discriminatedUnion("source", [noticeRecord, clientMessageRecord]);

export type Notice = z.output<typeof noticeRecord>;
export type ClientMessage = z.output<typeof clientMessageRecord>;
export type MessageView = Notice | ClientMessage;

export const promptRecord = z.object({
  type: z.enum(PROMPT_KINDS),
  text: z.string().describe("same as question; the first reason if it is not known"),
  since: time,
});

export const evidenceRecord = z.object({
  name: z.string().describe("what it is about, such as turn or last output"),
  value: z.string().describe("its value, such as active"),
  age_secs: z.number(),
  source: z.string(),
});

export const timelineRecord = z.object({
  t: z.number().describe("seconds from the start of the session"),
  state: z.enum(STATES),
  cause: z.string().nullable(),
  confidence: z.number(),
  until: time.nullable(),
  reasons: texts,
});

/** Result of a request to type into an agent or to end it. */
export const outcomeRecord = z.object({
  result: z.enum(["done", "failed", "unknown"]).describe("unknown: it may have happened; check before you repeat it"),
  reason: z.string(),
  proven: z
    .boolean()
    .nullable()
    .describe(
      "the effect was seen: a turn started (with enter: false, the text is in the composer), or all processes are gone; null if it cannot be seen, as in a program without a profile",
    ),
});

export const orderRecord = outcomeRecord.extend({ result: z.enum(["done", "refused", "failed", "unknown"]) });

/** A step of a recovery plan that was carried out. */
export const stepRecord = z.object({
  do: actionName,
  say: z.string().nullable(),
  result: z.enum(["done", "refused", "failed", "unknown"]),
  reason: z.string(),
  proven: stepProof,
});

export const watchdogRecord = z.object({
  pane_id: z.string(),
  agent: z.string(),
  interval_secs: z.number(),
  message: z.string(),
  inbox: z.string().nullable().describe("it types only when this inbox has new messages; null: at every interval"),
  sent: z.number(),
  left_out: z.number().describe("times when typing would have disturbed the agent, or failed"),
  last_result: z.string().nullable(),
});
