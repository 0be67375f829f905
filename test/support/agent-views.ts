/** Agents as the API lists them. */
import { moveOf } from "../../src/core/move.js";
import { UNHEALTHY } from "../../src/core/states.js";
import type { SessionView } from "../../src/daemon/views/view.js";

export const VIEWS_NOW: number = Date.parse("2026-03-02T09:00:00Z");

export const minutesAgo = (minutes: number): string => new Date(VIEWS_NOW - minutes * 60_000).toISOString();

export function agentView(fields: Partial<SessionView> = {}): SessionView {
  const { state = "working", cause = null, name = "web" } = fields;
  return {
    name,
    kind: "claude-code",
    session: `s-${name}`,
    origin: "spawn",
    tags: [],
    workspace: null,
    task: null,
    pid: 1,
    state,
    cause,
    move: moveOf({ state, cause: cause as never }),
    question: null,
    level: "act",
    confidence: 1,
    since: minutesAgo(12),
    until: null,
    doing: "",
    reasons: [],
    last_activity: minutesAgo(3),
    last_output: null,
    tokens_per_hour: 0,
    cost_usd_per_hour: 0,
    cost_usd_24h: null,
    spend: null,
    healthy: !UNHEALTHY.has(state),
    unobserved: null,
    started_at: minutesAgo(80),
    ended_at: null,
    ...fields,
  };
}
