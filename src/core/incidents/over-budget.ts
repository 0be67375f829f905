/** Spending over a budget: an incident beside the agent's state. One per agent, night and budget. */

import { usesBudget } from "../action.js";
import { digest } from "../digest.js";
import type { PeriodSpend } from "../judgement/period-spend.js";
import { type Incident, type IncidentState, incidentId, isOpen } from "./incident.js";

type IncidentBudgets = Pick<IncidentState, "incidents">;

const budgetOf = ({ period, tokensBudget, costBudget }: PeriodSpend): readonly unknown[] => [
  period.from,
  tokensBudget,
  costBudget,
];
const idOf = (agent: string, spend: PeriodSpend): string =>
  digest(JSON.stringify([agent, "over_budget", ...budgetOf(spend)]));

/** The incident about this budget in this night, even if the agent was renamed since. */
export function overBudgetOf({ incidents }: IncidentBudgets, agent: string, spend: PeriodSpend): Incident | null {
  const budget = JSON.stringify(budgetOf(spend));
  const id = idOf(agent, spend);
  return incidents.find((one) => one.agent === agent && (one.budget === budget || one.id === id)) ?? null;
}

/** Equal for the same budget in the same night, so that it is reported once across restarts of the agent. */
export function newOverBudget(
  { incidents }: IncidentBudgets,
  agent: string,
  spend: PeriodSpend,
  at: number,
): Pick<Incident, "id" | "budget"> {
  const id = idOf(agent, spend);
  // A renamed agent may have kept the incident that had this id.
  const isTaken = incidents.some((one) => one.id === id);
  return { id: isTaken ? incidentId(agent, "over_budget", at) : id, budget: JSON.stringify(budgetOf(spend)) };
}

/** Until when an agent that was interrupted for its spending is not continued; null if it may be. */
export function budgetHoldUntil(
  { incidents, actions }: Pick<IncidentState, "incidents" | "actions">,
  agent: string,
): number | null {
  const held = incidents.find(
    (incident) =>
      incident.agent === agent &&
      incident.problem === "over_budget" &&
      isOpen(incident) &&
      incident.ackedAt === null &&
      actions.some((record) => record.incident === incident.id && record.do === "interrupt" && usesBudget(record)),
  );
  return held?.until ?? null;
}
