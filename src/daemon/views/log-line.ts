/** Log lines for actions, their outcomes, and escalations. */
import type { IncidentInput } from "../../core/incidents/fold.js";
import type { IncidentState } from "../../core/incidents/incident.js";

/** Null for other inputs, such as judgements and feedback. */
export function logLine(input: IncidentInput, { actions, incidents }: IncidentState): string | null {
  switch (input.kind) {
    case "intended": {
      const { agent, do: name, incident } = input.intent;
      return `${agent}: starting ${name}${about(incident)}`;
    }
    case "done": {
      const { intent, result, reason, proven } = input.outcome;
      const record = actions.find(({ id }) => id === intent);
      if (!record) return null;
      const proof = proven === null ? "" : proven ? ", proven" : ", not proven";
      return `${record.agent}: ${record.do} ${result}${proof}${reason === "" ? "" : `: ${reason}`}${about(record.incident)}`;
    }
    case "escalated": {
      const agent = incidents.find(({ id }) => id === input.incident)?.agent ?? "";
      return `${agent}: escalated: ${input.reason}${about(input.incident)}`;
    }
    default:
      return null;
  }

  function about(incident: string): string {
    const problem = incidents.find(({ id }) => id === incident)?.problem;
    return ` (incident ${incident}${problem === undefined ? "" : `, ${problem}`})`;
  }
}
