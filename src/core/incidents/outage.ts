/** One cause shared by several agents. Later incidents with the same cause join. */

import { NO_PROFILE } from "../agent.js";
import { digest } from "../digest.js";
import { type OutageGroup, traitsOf } from "../policy/problems.js";
import type { Incident, IncidentState, Outage } from "./incident.js";
import { isOpen } from "./incident.js";
import { OUTAGE_WINDOWS } from "./outage-windows.js";

interface GroupRule {
  /** What the agents have in common; null for nothing. */
  shares: (incident: Incident) => string | null;
  agents: number;
}

const program = ({ kind }: Incident): string | null => (kind === NO_PROFILE ? null : kind);
/** An unknown account counts as the program's only one. */
const account = (incident: Incident): string | null => incident.account ?? program(incident);
/** A user who closes a window ends several watched agents at once: that is no failure of the machine. */
const isWatchedEnd = ({ problem, isAdopted }: Incident): boolean =>
  isAdopted === true && traitsOf(problem).state === "gone";
/** Agents that die together share a cause; a script that exits with its own failure code does not. */
const machine = (incident: Incident): string | null =>
  isWatchedEnd(incident) || (incident.problem === "exit_code" && program(incident) === null) ? null : "this machine";

const GROUPS: Readonly<Record<OutageGroup, GroupRule>> = {
  limit: { shares: account, agents: 2 },
  login: { shares: account, agents: 2 },
  service: { shares: program, agents: 3 },
  machine: { shares: machine, agents: 3 },
};

const groupOf = ({ problem }: Incident): OutageGroup | null => traitsOf(problem).outageGroup;

const MEMBERS_MAX = 1000;

/** Adds an incident to its outage, or opens one. Returns a newly opened outage. */
export function joinOutage(incidentState: IncidentState, incident: Incident): Outage | null {
  if (isWatchedEnd(incident)) takeOut(incidentState, incident);
  const group = groupOf(incident);
  if (group === null) return null;
  const rule = GROUPS[group];
  const shared = rule.shares(incident);
  if (shared === null) return null;
  const of = incidentState.outages.find(({ id }) => id === incident.outage);
  if (of && of.group === group && of.shared === shared && isOpen(of)) {
    withdrawProof(of, incident);
    return null;
  }
  const known = incidentState.outages.find(
    (outage) => isOpen(outage) && outage.group === group && outage.shared === shared,
  );
  if (known) {
    enter(known, incident);
    withdrawProof(known, incident);
    return null;
  }
  const peers = incidentState.incidents.filter(
    (other) =>
      isOpen(other) &&
      groupOf(other) === group &&
      rule.shares(other) === shared &&
      Math.abs(other.since - incident.since) <= OUTAGE_WINDOWS[group],
  );
  if (new Set(peers.map(({ agent }) => agent)).size < rule.agents) return null;
  const openedAt = Math.min(...peers.map((peer) => peer.since));
  const outage: Outage = {
    id: digest(JSON.stringify(["outage", group, shared, openedAt])),
    group,
    shared,
    openedAt,
    members: [],
    provenAt: null,
    endedAt: null,
  };
  for (const peer of peers) enter(outage, peer);
  incidentState.outages.push(outage);
  return outage;
}

/** A problem that began, or came back, after the proof: the limit or the fault still applies. */
function withdrawProof(outage: Outage, { since }: Incident): void {
  if (outage.provenAt !== null && since >= outage.provenAt) outage.provenAt = null;
}

/** The agent of a member is dead, and nothing in the outage brings it back: the others do not wait for it. */
function takeOut(incidentState: IncidentState, incident: Incident): void {
  const outage = incidentState.outages.find(({ id }) => id === incident.outage);
  incident.outage = null;
  if (!outage) return;
  outage.members = outage.members.filter((id) => id !== incident.id);
  endIfEmpty(incidentState, outage, incident.seenAt);
}

/** Escalates a long outage. A limit has its own reset time, so it is not escalated. */
export function escalateOutage(
  { outages }: IncidentState,
  { outage: id }: Incident,
  outageMs: number,
  now: number,
): void {
  const outage = outages.find((candidate) => candidate.id === id);
  if (!outage || !isOpen(outage) || outage.group === "limit" || outage.provenAt !== null) return;
  if (now - outage.openedAt >= outageMs) outage.escalatedAt ??= now;
}

function enter(outage: Outage, incident: Incident): void {
  incident.outage = outage.id;
  if (!outage.members.includes(incident.id) && outage.members.length < MEMBERS_MAX) {
    outage.members.push(incident.id);
    outage.members.sort();
  }
}

/** A member ended: its progress proves that the cause is gone; the outage ends with its last member. */
export function leaveOutage(incidentState: IncidentState, incident: Incident, at: number): Outage | null {
  const outage = incidentState.outages.find(({ id }) => id === incident.outage);
  if (!outage || !isOpen(outage)) return null;
  if (incident.phase === "recovered") outage.provenAt = at;
  return endIfEmpty(incidentState, outage, at);
}

function endIfEmpty({ incidents }: IncidentState, outage: Outage, at: number): Outage | null {
  const members = new Set(outage.members);
  if (!isOpen(outage) || incidents.some((other) => members.has(other.id) && isOpen(other))) return null;
  outage.endedAt = at;
  return outage;
}
