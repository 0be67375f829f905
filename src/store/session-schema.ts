/** Validates sessions from files and from the network once, here. */
import * as z from "zod";
import { type AgentSession, ORIGINS } from "../core/agent.js";
import { AGENT_LIMITS } from "../core/agent-limits.js";
import { redact } from "../core/text/redact.js";

const name = z.string().min(1).max(AGENT_LIMITS.word);
const text = z.string().max(4000);

/** Loose: unknown fields of a newer rouse are kept. */
const schema = z.looseObject({
  id: name,
  name,
  kind: name,
  tags: z.array(name).max(AGENT_LIMITS.tags),
  origin: z.enum(ORIGINS),
  command: z.array(z.string().max(AGENT_LIMITS.argument)).max(AGENT_LIMITS.arguments),
  workspace: z.string().max(AGENT_LIMITS.workspace).nullable(),
  // The command is stored unchanged, to be run again; texts about the work are not.
  task: z.string().max(AGENT_LIMITS.task).transform(redact).nullable(),
  policy: name.nullable(),
  pid: z.number().int().positive().nullable(),
  pidStart: name.nullable(),
  startedAt: z.number(),
  hostSocket: text.nullable(),
  pane: z.object({ socket: text, id: name }).nullable(),
  endedAt: z.number().nullable(),
}) satisfies z.ZodType<AgentSession>;

/** A stored or sent session; null if it is invalid. Never throws. */
export function parseSession(value: unknown): AgentSession | null {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
}
