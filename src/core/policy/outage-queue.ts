/**
 * Agents with one cause take turns: one goes first and is verified, then the rest, spread over time. Nobody speaks to
 * fifty agents at once because a service came back, and nobody waits for ever because the first one cannot be spoken to.
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
  /** Who of them was touched last. */
  acted: { agent: string; at: number } | null;
}

/** Whoever is first has so long to prove that it is over; then the next one is. */
const FIRST_MS: number = 5 * MINUTE;
/** After a touch, nobody else is touched for so long: the first one is looked at before the next. */
const CHECK_MS: number = 2 * MINUTE;
/** The rest follow within so long for each of them, and within this at most. */
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
 * Null when it is this agent's turn. Nothing is ended in an outage, and nothing started before it is over and the rest
 * have followed; but where many died and none works again for long, they take turns at being started too.
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
    return now < until ? { reason: "one works again: the others follow one after the other", until } : null;
  }
  const mayStart = starts && !destructive && group === "machine" && typeof escalatedAt === "number";
  if (isRestart && !mayStart)
    return { reason: "many agents have the same problem: nothing is ended or started", until: now + FIRST_MS };
  const checksUntil = acted && acted.agent !== agent ? acted.at + CHECK_MS : now;
  if (acted && now < checksUntil && now >= acted.at)
    return { reason: `checking whether ${acted.agent} works again`, until: checksUntil };
  const place = agents.indexOf(agent);
  if (place < 0 || agents.length < 2) return null;
  const slot = Math.max(0, Math.floor((now - openedAt) / FIRST_MS));
  const first = slot % agents.length;
  if (place === first) return null;
  const turns = (place - first + agents.length) % agents.length;
  return { reason: `${agents[first]} goes first`, until: openedAt + (slot + turns) * FIRST_MS };
}
