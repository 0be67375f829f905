/** All agents in a few figures for a status line: how many are fine, and which need the user. */
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
  /** Agents with an acknowledged or silenced problem. */
  acknowledged: number;
  needs_you: { name: string; why: string }[];
  /** Number of further agents. */
  more: number;
}

const NAMED_MAX = 10;
const WHY: Readonly<Partial<Record<State, string>>> = {
  needs_input: "asks",
  stuck: "stuck",
  error: "error",
  gone: "gone",
  unknown: "unknown",
};

type Agent = Pick<SessionView, "name" | "state" | "healthy" | "until" | "started_at" | "ended_at">;
type LineProblem = Pick<
  IncidentView,
  "agent" | "problem" | "phase" | "acked_at" | "silenced_until" | "feedback" | "allowed" | "next"
>;

/** Agents are named in the given order. `incidents` are the open ones. */
export function lineOf(agents: readonly Agent[], incidents: readonly LineProblem[]): LineView {
  const view: LineView = { ok: 0, limited: 0, until: null, recovering: 0, acknowledged: 0, needs_you: [], more: 0 };
  for (const agent of newest(agents)) {
    const own = incidents.filter((one) => one.agent === agent.name);
    // An agent that ended without a problem is not shown.
    if (agent.ended_at !== null && own.length === 0) continue;
    const isCalledFor = (one: LineProblem): boolean => one.phase === "escalated" && !isTaken(one) && !isRecovering(one);
    if (agent.healthy && !own.some(isCalledFor)) {
      if (agent.state === "rate_limited") {
        view.limited++;
        if (agent.until !== null && (view.until === null || agent.until < view.until)) view.until = agent.until;
      } else if (own.some((one) => one.phase === "acting" && !isTaken(one))) view.recovering++;
      else view.ok++;
    } else if (own.length > 0 && own.every(isTaken)) view.acknowledged++;
    else if (own.some(isRecovering) && !own.some(isCalledFor)) view.recovering++;
    else if (view.needs_you.length < NAMED_MAX) view.needs_you.push({ name: agent.name, why: whyOf(agent, own) });
    else view.more++;
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

/** Rouse will act, or checks whether its last action helped. */
const isRecovering = ({ allowed, next, phase }: LineProblem): boolean =>
  allowed && next !== null && (next.do !== null || phase === "acting");

const whyOf = ({ state }: Agent, own: readonly LineProblem[]): string =>
  WHY[state] ?? (own.some(({ problem }) => problem === "over_budget") ? "over budget" : "problem");
