/**
 * Agents that ended with an unacknowledged problem: they count as unhealthy while their incident is open. An agent that
 * ended well, or that continues in a newer session, does not.
 */
import { isOpen, silencedUntil } from "../core/incidents/incident.js";
import type { SessionJudge } from "../core/session-judge.js";
import { UNHEALTHY } from "../core/states.js";
import type { Loop } from "./loop.js";

export function unacknowledgedEnds(loop: Pick<Loop, "sessions" | "find" | "now" | "incidents">): SessionJudge[] {
  const now = loop.now();
  const incidentState = loop.incidents;
  const open = incidentState.incidents.filter(
    (incident) => isOpen(incident) && incident.ackedAt === null && silencedUntil(incidentState, incident, now) === null,
  );
  const agents = new Set(open.map(({ agent }) => agent));
  return loop
    .sessions()
    .filter(
      ({ session, assessment }) =>
        session.endedAt !== null && UNHEALTHY.has(assessment.state) && agents.has(session.name),
    )
    .filter((judge) => loop.find(judge.session.name) === judge);
}
