/**
 * Actions that lacked permission, as action records: they count against the budgets of later unpermitted actions, so that
 * rouse never claims that it would have acted more often than its budgets allow.
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
