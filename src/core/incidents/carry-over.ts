/** A renamed agent stays the same agent: it keeps its incidents, actions and feedback. */
import type { FeedbackCount, IncidentState } from "./incident.js";

export function carryOver(incidentState: IncidentState, from: string, to: string): void {
  if (from === to) return;
  for (const list of [incidentState.incidents, incidentState.actions, incidentState.silences, incidentState.missed])
    for (const entry of list) if (entry.agent === from) entry.agent = to;
  const since = incidentState.blind.filter(({ agent }) => agent === from || agent === to).map((entry) => entry.since);
  incidentState.blind = incidentState.blind.filter(({ agent }) => agent !== from && agent !== to);
  if (since.length > 0) incidentState.blind.push({ agent: to, since: Math.min(...since) });
  const said = incidentState.feedback.filter(({ agent }) => agent === from);
  incidentState.feedback = incidentState.feedback.filter(({ agent }) => agent !== from);
  for (const count of said) addCount(incidentState.feedback, { ...count, agent: to });
}

/** A previous agent of the new name may have feedback as well. */
function addCount(feedback: FeedbackCount[], { agent, problem, falseAlarms, right }: FeedbackCount): void {
  const known = feedback.find((count) => count.agent === agent && count.problem === problem);
  if (!known) feedback.push({ agent, problem, falseAlarms, right });
  else {
    known.falseAlarms += falseAlarms;
    known.right += right;
  }
}
