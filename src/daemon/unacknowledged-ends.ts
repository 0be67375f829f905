/**
 * Agents that ended. Those with an unacknowledged problem count as unhealthy while their incident is open; every other
 * one stays visible for ten minutes, with what happened. One that continues in a newer session, or whose problem the
 * user acknowledged or silenced, is not among them.
 */
import { isOpen, silencedUntil } from "../core/incidents/incident.js";
import type { SessionJudge } from "../core/session-judge.js";
import { UNHEALTHY } from "../core/states.js";
import { MINUTE } from "../core/text/time.js";
import type { Loop } from "./loop.js";

type Ends = Pick<Loop, "sessions" | "find" | "now" | "incidents">;

const SHOWN_MS = 10 * MINUTE;

export function unacknowledgedEnds(loop: Ends): SessionJudge[] {
  const agents = agentsWith(loop, (isHandled) => !isHandled);
  return lastSessions(loop).filter(
    ({ session, assessment }) => UNHEALTHY.has(assessment.state) && agents.has(session.name),
  );
}

/** Those with an unacknowledged problem, and those that ended within the last ten minutes. */
export function recentEnds(loop: Ends): SessionJudge[] {
  const now = loop.now();
  const handled = agentsWith(loop, (isHandled) => isHandled);
  // An agent that is only no longer watched has no exit.
  const isRecent = ({ session, evidence }: SessionJudge): boolean =>
    now - (session.endedAt ?? now) <= SHOWN_MS && evidence.exit !== null && !handled.has(session.name);
  return [...new Set([...unacknowledgedEnds(loop), ...lastSessions(loop).filter(isRecent)])];
}

/** Ended sessions that no newer session of the agent continues. */
const lastSessions = (loop: Ends): SessionJudge[] =>
  loop.sessions().filter((judge) => judge.session.endedAt !== null && loop.find(judge.session.name) === judge);

/** Agents with an open incident that a user has, or has not, acknowledged or silenced. */
function agentsWith(loop: Ends, takes: (isHandled: boolean) => boolean): Set<string> {
  const { incidents: incidentState } = loop;
  const now = loop.now();
  const chosen = incidentState.incidents.filter(
    (incident) =>
      isOpen(incident) && takes(incident.ackedAt !== null || silencedUntil(incidentState, incident, now) !== null),
  );
  return new Set(chosen.map(({ agent }) => agent));
}
