/** Whether other sources show that the agent is active since its problem began. A loop is very active, so it never is. */
import type { Incident, IncidentState } from "../incidents/incident.js";
import { actionFactsOf, guardFrom } from "../policy/facts.js";
import { traitsOf } from "../policy/problems.js";
import type { AgentSnapshot } from "./contents.js";

/** The problem is not reported as stuck: the same guard keeps rouse from acting on it. */
export function isHeldByActivity(
  { actions }: Pick<IncidentState, "actions">,
  incident: Incident,
  { evidence, settings }: AgentSnapshot,
  now: number,
): boolean {
  const { state, provenBy } = traitsOf(incident.problem);
  if (state !== "stuck" || provenBy !== "work" || evidence.exit) return false;
  const { guard } = actionFactsOf(evidence, guardFrom(incident, actions), now, settings);
  return guard !== null && !guard.send && !guard.may_ask;
}
