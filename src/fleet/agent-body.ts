/** What a node says about one of its agents. Another machine wrote it, so it is checked and cleaned before it is shown. */
import * as z from "zod";
import { PHASES } from "../core/incidents/incident.js";
import { PROBLEMS } from "../core/incidents/problem.js";
import { MOVES } from "../core/move.js";
import { STATES } from "../core/states.js";
import { sanitizeLine } from "../core/text/sanitize.js";

const line = (max: number) => z.string().transform((text) => sanitizeLine(text).slice(0, max));
const time = z.iso.datetime().nullable();

const incident = z.object({
  id: line(40),
  problem: z.enum(PROBLEMS as [string, ...string[]]),
  phase: z.enum(PHASES),
  opened_at: z.iso.datetime(),
  reason: line(200),
});

export const AGENT_BODY = z.object({
  kind: line(40),
  tags: z.array(line(40)).max(20),
  task: line(200).nullable(),
  cause: line(40).nullable(),
  move: z.enum(MOVES),
  question: line(300).nullable(),
  until: time,
  doing: line(120),
  reasons: z.array(line(200)).max(4),
  /** At the time of the change. */
  last_activity: z.iso.datetime(),
  healthy: z.boolean(),
  ended_at: time,
  incidents: z.array(incident).max(10),
});

export type AgentBody = z.output<typeof AGENT_BODY>;
const STATE = z.enum(STATES);
type State = z.output<typeof STATE>;

/** Null: the row is not readable, such as one of a newer rouse. */
export function readBody(text: string | null): AgentBody | null {
  try {
    return AGENT_BODY.parse(JSON.parse(text ?? ""));
  } catch {
    return null;
  }
}

/** A state of a newer rouse is one that this one cannot judge. */
export const readState = (text: string): State => STATE.safeParse(text).data ?? "unknown";
