/** All agents in a few figures for a status line: how many are fine, and which need the user. */
import { needsUser } from "../../core/move.js";
import type { State } from "../../core/states.js";
import type { IncidentView } from "./incident-view.js";
import type { SessionView } from "./view.js";

export interface LineView {
  ok: number;
  limited: number;
  /** End of the first limit. */
  until: string | null;
  /** Agents with a problem that rouse acts on. */
  recovering: number;
  /** Agents with a problem that nothing acts on, and that has not escalated to the user yet. */
  stalled: number;
  /** Agents with an acknowledged or silenced problem. */
  acknowledged: number;
  needs_you: { name: string; why: string }[];
  /** Number of further agents. */
  more: number;
}

const NOTHING: LineView = {
  ok: 0,
  limited: 0,
  until: null,
  recovering: 0,
  stalled: 0,
  acknowledged: 0,
  needs_you: [],
  more: 0,
};
const NAMED_MAX = 10;
const WHY: Readonly<Partial<Record<State, string>>> = {
  needs_input: "asks",
  stuck: "stuck",
  error: "error",
  gone: "gone",
  unknown: "unknown",
};

type Agent = Pick<SessionView, "name" | "state" | "move" | "healthy" | "until" | "started_at" | "ended_at">;
type LineProblem = Pick<
  IncidentView,
  "agent" | "problem" | "phase" | "acked_at" | "silenced_until" | "feedback" | "allowed" | "next"
>;

/** Agents are named in the given order. `incidents` are the open ones. */
export function lineOf(agents: readonly Agent[], incidents: readonly LineProblem[]): LineView {
  const view: LineView = { ...NOTHING, needs_you: [] };
  for (const agent of newest(agents)) {
    const own = incidents.filter((one) => one.agent === agent.name);
    // An agent that ended without a problem is not shown.
    if (agent.ended_at !== null && own.length === 0) continue;
    const isEscalated = own.some((one) => one.phase === "escalated" && !isTaken(one));
    const isAcknowledged = !agent.healthy && own.length > 0 && own.every(isTaken);
    if (isAcknowledged) view.acknowledged++;
    // An escalated incident makes the move the user's, also of an agent at its prompt.
    else if (isEscalated || needsUser(agent)) {
      if (view.needs_you.length < NAMED_MAX) view.needs_you.push({ name: agent.name, why: whyOf(agent, own) });
      else view.more++;
    } else if (agent.state === "rate_limited") {
      view.limited++;
      if (agent.until !== null && (view.until === null || agent.until < view.until)) view.until = agent.until;
    } else if (own.some((one) => isRecovering(one, agent))) view.recovering++;
    else if (agent.healthy) view.ok++;
    else view.stalled++;
  }
  return view;
}

/** An agent that was started again is its newest session. */
function newest(agents: readonly Agent[]): Agent[] {
  const last = new Map<string, Agent>();
  for (const agent of agents) {
    const known = last.get(agent.name);
    if (!known || known.started_at <= agent.started_at) last.set(agent.name, agent);
  }
  return agents.filter((agent) => last.get(agent.name) === agent);
}

const isTaken = ({ acked_at, silenced_until, feedback }: LineProblem): boolean =>
  acked_at !== null || silenced_until !== null || feedback === "false-alarm";

/** rouse checks whether its last action helped, or will act: not on an agent that works again by itself. */
const isRecovering = (one: LineProblem, { healthy }: Agent): boolean =>
  !isTaken(one) && (one.phase === "acting" || (!healthy && one.allowed && one.next !== null && one.next.do !== null));

const whyOf = ({ state }: Agent, own: readonly LineProblem[]): string =>
  WHY[state] ?? (own.some(({ problem }) => problem === "over_budget") ? "over budget" : "problem");
