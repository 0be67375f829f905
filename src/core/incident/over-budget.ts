/** Spending over a budget: an incident beside the agent's state, which stays what it is. One per agent, night and budget. */
import { counts } from "../action.js";
import { digest } from "../digest.js";
import type { NightSpend } from "../spending.js";
import { type Incidents, isOpen } from "./incident.js";

/** The same whenever the same budget is used up in the same night: it is told once, whatever ends and starts meanwhile. */
export const overBudgetId = (agent: string, { night, tokensBudget, costBudget }: NightSpend): string =>
  digest(JSON.stringify([agent, "over_budget", night.from, tokensBudget, costBudget]));

/** Until when an agent that was interrupted for its spending is not set going again; null when it may be. */
export function heldUntil({ incidents, deeds }: Pick<Incidents, "incidents" | "deeds">, agent: string): number | null {
  const held = incidents.find(
    (incident) =>
      incident.agent === agent &&
      incident.trouble === "over_budget" &&
      isOpen(incident) &&
      incident.ackedAt === null &&
      deeds.some((deed) => deed.incident === incident.id && deed.do === "interrupt" && counts(deed)),
  );
  return held?.until ?? null;
}
