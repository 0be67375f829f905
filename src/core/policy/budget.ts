/** Budgets: at most N actions in any period, per incident, agent and node. Counted from the action records. */
import { ACTIONS, type ActionRecord, usesBudget } from "../action.js";
import type { Budget, Budgets } from "./policy.js";

export type BudgetScope = "incident" | "agent" | "node";

export interface ExhaustedBudget {
  scope: BudgetScope;
  /** "12 actions for this agent in 60 min" */
  what: string;
  /** When the next action fits; null for never. */
  freeAt: number | null;
}

const isControl = (record: ActionRecord): boolean => usesBudget(record) && ACTIONS[record.do].controls;
const isRestart = (record: ActionRecord): boolean =>
  usesBudget(record) && (ACTIONS[record.do].starts || ACTIONS[record.do].destructive);

/** The budget that forbids one more action of this kind; null if all have room. If several do, the one that frees up last. */
export function spentBudget(
  budgets: Budgets,
  actions: readonly ActionRecord[],
  of: { incident: string; agent: string; restart: boolean },
  now: number,
): ExhaustedBudget | null {
  const controls = actions.filter(isControl);
  const ofIncident = controls.filter(({ incident }) => incident === of.incident).length;
  if (ofIncident >= budgets.incident)
    return { scope: "incident", what: `${ofIncident} actions in this incident`, freeAt: null };
  const restarts = of.restart ? controls.filter(isRestart) : [];
  const found = [
    within(
      "agent",
      "actions",
      budgets.agent,
      controls.filter(({ agent }) => agent === of.agent),
      now,
    ),
    within(
      "agent",
      "restarts",
      budgets.agentRestarts,
      restarts.filter(({ agent }) => agent === of.agent),
      now,
    ),
    within("node", "actions", budgets.node, controls, now),
    within("node", "restarts", budgets.nodeRestarts, restarts, now),
  ].filter((spent) => spent !== null);
  return found.sort((a, b) => (b.freeAt ?? 0) - (a.freeAt ?? 0))[0] ?? null;
}

const SCOPE_WORDS: Readonly<Record<BudgetScope, string>> = { incident: "incident", agent: "agent", node: "machine" };

function within(
  scope: BudgetScope,
  noun: string,
  budget: Budget,
  actions: readonly ActionRecord[],
  now: number,
): ExhaustedBudget | null {
  // An action in the future, after the clock was set back, still counts.
  const inPeriod = actions.filter(({ at }) => at > now - budget.periodMs).sort((a, b) => a.at - b.at);
  if (inPeriod.length < budget.times) return null;
  const freeing = inPeriod[inPeriod.length - budget.times];
  return {
    scope,
    what: `${inPeriod.length} ${noun} for this ${SCOPE_WORDS[scope]} in ${Math.round(budget.periodMs / 60_000)} min`,
    freeAt: freeing ? freeing.at + budget.periodMs : null,
  };
}
