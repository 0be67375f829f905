/**
 * The messages and alerts that are due now and were not sent before. They count as sent from here on; a caller that
 * could not store messages calls `takeBackMessages`, and they are due again. Alerts do not wait for the disk.
 */

import type { Effect } from "./effects.js";
import type { Incident } from "./incidents/incident.js";
import type { NodeState, NoticeState } from "./node-state.js";
import type { AlertState, PlannedAlert } from "./notices/alert.js";
import type { DueMessage } from "./notices/contents.js";
import { dueCompletion, dueMessages } from "./notices/due.js";
import { isHeldByActivity } from "./notices/held-back.js";
import { noticeOf } from "./notices/notice.js";
import { planAlerts } from "./notices/plan.js";
import type { SessionJudge } from "./session-judge.js";

/** About open and closed incidents. */
export function dueIncidentNotices(state: NodeState, now: number): Effect[] {
  const { incidents: incidentState, rules, notices, latest } = state;
  const seen = (agent: string): SessionJudge | null => latest.get(agent) ?? null;
  const messages = dueMessages(incidentState, seen, sentBefore(notices), rules.messages, now).map((due) =>
    message(notices, due),
  );
  // A channel that is configured later gets the alerts that are open then.
  if (rules.alerts.routes.length === 0) return messages;
  const isHeld = (incident: Incident): boolean => {
    const view = seen(incident.agent);
    return view !== null && isHeldByActivity(incidentState, incident, view, now);
  };
  const known = [...notices.alerts.values()];
  const planned = planAlerts({ incidentState, known, rules: rules.alerts, isHeld, now });
  const alerts = planned.map((alert): Effect => {
    const notice = noticeOf(alert, { incidentState, seen, clock: rules.clock, now });
    notices.alerts.set(alert.subject, withEdge(notices.alerts.get(alert.subject) ?? null, alert));
    return { kind: "alert", planned: alert, notice };
  });
  return [...messages, ...alerts];
}

/** About a turn that finished. `isOver`: nothing can show any more that it goes on. */
export function dueCompletionNotice(
  { notices, rules }: NodeState,
  judge: SessionJudge,
  now: number,
  isOver = false,
): Effect[] {
  if (judge.assessment.state !== "complete") return [];
  const due = dueCompletion(judge, sentBefore(notices), rules.messages, now, isOver);
  return due ? [message(notices, due)] : [];
}

export function takeBackMessages({ notices }: NodeState, effects: readonly Effect[]): void {
  for (const effect of effects)
    if (effect.kind === "message") notices.sent.get(effect.message.subject)?.delete(effect.message.edge);
}

const NONE: ReadonlySet<string> = new Set();
const sentBefore = ({ sent }: NoticeState) => ({
  of: (subject: string): ReadonlySet<string> => sent.get(subject) ?? NONE,
});

function message({ sent }: NoticeState, due: DueMessage): Effect {
  sent.set(due.subject, (sent.get(due.subject) ?? new Set()).add(due.edge));
  return { kind: "message", message: due };
}

function withEdge(state: AlertState | null, planned: PlannedAlert): AlertState {
  const { subject, members, edge, at, severity, kind, deliveries } = planned;
  return {
    subject,
    members: state?.members ?? members,
    edges: [...(state?.edges ?? []), { edge, at, severity, kind }],
    channels: [...new Set([...(state?.channels ?? []), ...deliveries.map(({ channel }) => channel)])],
  };
}
