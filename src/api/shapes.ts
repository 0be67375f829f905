/** What the API answers with, for its document. A test reads real answers against these, field by field. */
import * as z from "zod";
import { ACTION_NAMES } from "../core/action.js";
import { PHASES } from "../core/incident/incident.js";
import { PROMPT_KINDS, STATES } from "../core/states.js";
import { TROUBLES } from "../core/trouble.js";
import { MESSAGE_PAYLOADS } from "./message-shapes.js";

const time = z.string().describe("ISO 8601");
const words = z.array(z.string());

const agent = {
  name: z.string(),
  kind: z.string(),
  session: z.string(),
  origin: z.enum(["run", "spawn", "tmux", "transcript"]),
  tags: words,
  workspace: z.string().nullable(),
  task: z.string().nullable(),
  pid: z.number().nullable(),
  state: z.enum(STATES),
  cause: z.string().nullable(),
  level: z.enum(["tell", "act"]),
  confidence: z.number(),
  since: time,
  until: time.nullable(),
  doing: z.string(),
  reasons: words,
  last_progress: time.nullable(),
  last_output: time.nullable(),
  tokens_per_hour: z.number(),
  cost_usd_per_hour: z.number(),
  spend: z
    .object({
      since: time,
      until: time,
      tokens: z.number(),
      tokens_budget: z.number().nullable(),
      cost_usd: z.number().nullable(),
      cost_usd_budget: z.number().nullable(),
      unpriced_tokens: z.number(),
      is_over: z.boolean(),
      notes: words,
    })
    .nullable(),
  healthy: z.boolean(),
  blind: z.object({ since: time, reason: z.string() }).nullable(),
  started_at: time,
  ended_at: time.nullable(),
};

const incident = z.object({
  id: z.string(),
  agent: z.string(),
  session: z.string(),
  kind: z.string(),
  trouble: z.enum(TROUBLES),
  chain: words,
  phase: z.enum(PHASES),
  opened_at: time,
  since: time,
  ended_at: time.nullable(),
  level: z.enum(["tell", "act"]),
  confidence: z.number(),
  until: time.nullable(),
  reasons: words,
  outage: z.object({ id: z.string(), group: z.string(), shared: z.string(), incidents: z.number() }).nullable(),
  acked_at: time.nullable(),
  silenced_until: time.nullable(),
  feedback: z.enum(["false-alarm", "right"]).nullable(),
  reopened: z.number(),
  policy: z.string().nullable(),
  allowed: z.boolean(),
  deeds: z.array(
    z.object({
      at: time,
      do: z.enum(ACTION_NAMES),
      result: z.enum(["done", "refused", "failed", "unknown", "pending"]),
      reason: z.string(),
      proven: z.boolean().nullable(),
    }),
  ),
  next: z.object({ do: z.enum(ACTION_NAMES).nullable(), at: time.nullable(), reason: z.string() }).nullable(),
  would: z.enum(ACTION_NAMES).nullable(),
  commands: words,
});

const watchdog = z.object({
  pane_id: z.string(),
  agent: z.string(),
  interval_secs: z.number(),
  message: z.string(),
  sent: z.number(),
  left_out: z.number(),
  last_result: z.string().nullable(),
});

const message = z.object({
  cursor: z.number(),
  key: z.string(),
  msg_type: z.string(),
  target: z.object({ tag: z.string() }),
  from: z.string(),
  at: time,
  acked_at: time.nullable(),
  payload: z
    .union([...Object.values(MESSAGE_PAYLOADS), z.unknown()])
    .describe("by msg_type; one of your own holds what it was given"),
});

export const SHAPES = {
  health: z.object({
    ok: z.boolean(),
    version: z.string(),
    ticks: z.number(),
    since_tick_ms: z.number().nullable(),
    agents: z.number(),
    journal: z.object({ pending: z.number(), failures: z.number() }),
  }),
  agents: z.object({ agents: z.array(z.object(agent)) }),
  status: z.object({
    ...agent,
    pane_id: z.string(),
    is_awaiting_input: z.boolean(),
    is_awaiting_confirmation: z.boolean(),
    prompt: z.object({ type: z.enum(PROMPT_KINDS), text: z.string(), since: time }).nullable(),
  }),
  why: z.object({
    ...agent,
    evidence: z.array(z.object({ what: z.string(), says: z.string(), age_secs: z.number(), source: z.string() })),
    changes: words,
    timeline: z.array(z.looseObject({ state: z.enum(STATES) })),
    preview: words,
  }),
  pane: z.object({ agent: z.string(), pane_id: z.string(), lines: words }),
  incidents: z.object({ incidents: z.array(incident) }),
  messages: z.object({ messages: z.array(message), cursor: z.number() }),
  sent: z.object({ cursor: z.number() }),
  acked: z.object({ acked: z.number() }),
  reported: z.object({ agent: z.string() }),
  touched: z.object({
    result: z.enum(["done", "failed", "unknown"]),
    reason: z.string(),
    proven: z.boolean().nullable(),
  }),
  watchdog,
  watchdogs: z.object({ watchdogs: z.array(watchdog) }),
  stopped: z.object({ stopped: z.boolean() }),
  summary: z.object({ since: time, until: time, agents: z.array(z.looseObject({ name: z.string() })) }),
} as const;
