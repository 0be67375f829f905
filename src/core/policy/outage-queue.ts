/**
 * Agents in one outage recover in turn: the first one is verified, then the rest follow, spread over time. This avoids
 * fifty nudges at once when a service comes back, and the turn passes on if the first agent cannot be nudged.
 */

import { ACTIONS, type ActionTraits, usesBudget } from "../action.js";
import type { IncidentState, Outage } from "../incidents/incident.js";
import { isOpen } from "../incidents/incident.js";
import { MINUTE, SECOND } from "../text/time.js";
import { spreadFraction } from "./limit-wait.js";

export interface OutageQueue {
  outage: Outage;
  /** Agents whose incident in it is still open, in the order of their names. */
  agents: readonly string[];
  /** The last action on one of them. */
  acted: { agent: string; at: number } | null;
}

/** Time for the first agent to recover before the turn passes on. */
const FIRST_MS: number = 5 * MINUTE;
/** After an action on one agent, the others wait this long for its result. */
const CHECK_MS: number = 2 * MINUTE;
/** The rest follow within this time per agent, up to the maximum. */
const EACH_MS: number = 20 * SECOND;
const SPREAD_MAX_MS: number = 10 * MINUTE;

export function outageSlot(
  incidentState: Pick<IncidentState, "incidents" | "outages" | "actions">,
  id: string | null,
): OutageQueue | null {
  const outage = incidentState.outages.find((candidate) => candidate.id === id);
  if (!outage || !isOpen(outage)) return null;
  const agents = incidentState.incidents
    .filter((other) => other.outage === id && isOpen(other))
    .map(({ agent }) => agent);
  const members = new Set(outage.members);
  const last = incidentState.actions.findLast(
    (record) =>
      members.has(record.incident) && usesBudget(record) && ACTIONS[record.do].controls && record.at >= outage.openedAt,
  );
  return {
    outage,
    agents: [...new Set(agents)].sort(),
    acted: last ? { agent: last.agent, at: last.outcome?.at ?? last.at } : null,
  };
}

/**
 * Null if it is this agent's turn. In an outage no agent is stopped, and none is started until one has recovered and the
 * rest have followed. If many agents died and none recovers for a long time, they are started in turn as well.
 */
export function checkOutageSlot(
  { outage, agents, acted }: OutageQueue,
  agent: string,
  { destructive, starts }: Pick<ActionTraits, "destructive" | "starts">,
  now: number,
): { reason: string; until: number } | null {
  const { provenAt, openedAt, escalatedAt, group } = outage;
  const isRestart = destructive || starts;
  if (provenAt !== null) {
    const share = isRestart ? SPREAD_MAX_MS : spreadFraction(agent) * Math.min(SPREAD_MAX_MS, EACH_MS * agents.length);
    const until = provenAt + share;
    return now < until ? { reason: "one agent recovered: the others follow one at a time", until } : null;
  }
  const mayStart = starts && !destructive && group === "machine" && typeof escalatedAt === "number";
  if (isRestart && !mayStart)
    return { reason: "recovery paused: several agents failed at once (possible outage)", until: now + FIRST_MS };
  const checksUntil = acted && acted.agent !== agent ? acted.at + CHECK_MS : now;
  if (acted && now < checksUntil && now >= acted.at)
    return { reason: `checking whether ${acted.agent} recovered`, until: checksUntil };
  const place = agents.indexOf(agent);
  if (place < 0 || agents.length < 2) return null;
  const slot = Math.max(0, Math.floor((now - openedAt) / FIRST_MS));
  const first = slot % agents.length;
  if (place === first) return null;
  const turns = (place - first + agents.length) % agents.length;
  return { reason: `${agents[first]} goes first`, until: openedAt + (slot + turns) * FIRST_MS };
}
