/** User feedback on an alarm: stored with the incident and counted per agent and problem. */
import type { Feedback, FeedbackCount, Incident, IncidentState } from "./incident.js";

const FEEDBACK_MAX = 2000;

export function takeFeedback(incidentState: IncidentState, incident: Incident, feedback: Feedback, at: number): void {
  // One feedback per incident: a later one replaces an earlier one.
  if (incident.feedback === feedback) return;
  const said = countOf(incidentState, incident);
  if (incident.feedback !== null) said[COUNT[incident.feedback]] = Math.max(0, said[COUNT[incident.feedback]] - 1);
  said[COUNT[feedback]]++;
  incident.feedback = feedback;
  // A user who reports a false alarm has checked it: no further action.
  if (feedback === "false-alarm") incident.ackedAt ??= at;
}

function countOf(incidentState: IncidentState, { agent, problem }: Incident): FeedbackCount {
  const known = incidentState.feedback.find((count) => count.agent === agent && count.problem === problem);
  if (known) return known;
  const made: FeedbackCount = { agent, problem, falseAlarms: 0, right: 0 };
  incidentState.feedback = [...incidentState.feedback, made].slice(-FEEDBACK_MAX);
  return made;
}

const COUNT = { "false-alarm": "falseAlarms", right: "right" } as const;
