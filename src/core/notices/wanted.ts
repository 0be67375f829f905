/** Whether an alert in the outbox is still worth sending. */
import { type IncidentState, silencedUntil } from "../incidents/incident.js";
import type { AlertState, Notice } from "./alert.js";
import { membersOf } from "./plan.js";

/** Not once all its incidents are acknowledged or silenced; the end of a subject is always sent. */
export function isStillWanted(
  notice: Notice,
  incidentState: IncidentState,
  alerts: ReadonlyMap<string, AlertState>,
  now: number,
): boolean {
  if (notice.kind !== "watchdog" || notice.edge === "resolved") return true;
  const members = alerts.get(notice.subject)?.members ?? [];
  const incidents = membersOf(incidentState, { subject: notice.subject, members });
  const isHandled = incidents.every(
    (incident) => incident.ackedAt !== null || silencedUntil(incidentState, incident, now) !== null,
  );
  return incidents.length === 0 || !isHandled;
}
