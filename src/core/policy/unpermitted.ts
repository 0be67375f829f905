/**
 * What was not done for want of permission, as actions: they count against the budgets of what else would have been done, so
 * that rouse never says of a night that it would have touched more than its budgets allow.
 */
import type { ActionRecord } from "../action.js";
import type { IncidentState } from "../incidents/incident.js";

export function unpermittedActions({ incidents }: Pick<IncidentState, "incidents">): ActionRecord[] {
  return incidents.flatMap(({ id, agent, escalated }) => {
    if (!escalated?.wouldDo || escalated.overBudget) return [];
    const { at, wouldDo } = escalated;
    const outcome = { intent: id, at, result: "done" as const, reason: "not permitted", proven: null };
    return [{ id, at, incident: id, agent, do: wouldDo, deadlineMs: 0, proof: "none" as const, waitMs: 0, outcome }];
  });
}
