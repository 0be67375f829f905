/** Budgets counted again, from the real actions and not from the incident state. */
import { ACTIONS, type Action } from "../../src/core/action.js";
import type { Budget, Budgets } from "../../src/core/policy/policy.js";
import type { Attempt } from "./invariants.js";

/** The budgets exceeded by the last of `attempts`. */
export function breaches(attempts: readonly Attempt[], last: Action, budgets: Budgets): string[] {
  const controls = attempts.filter(({ acted, action }) => acted && ACTIONS[action.do].controls);
  const restarts = controls.filter(({ action }) => ACTIONS[action.do].starts || ACTIONS[action.do].destructive);
  const ofAgent = ({ action }: Attempt): boolean => action.agent === last.agent;
  const ofIncident = controls.filter(({ action }) => action.incident === last.incident);
  const found: string[] = [];
  if (ofIncident.length > budgets.incident) found.push(`${ofIncident.length} touches in incident ${last.incident}`);
  const within = (what: string, { times, periodMs }: Budget, list: readonly Attempt[]): void => {
    const from = (list.at(-1)?.at ?? 0) - periodMs;
    const count = list.filter(({ at }) => at > from).length;
    if (count > times) found.push(`${count} ${what} in ${periodMs / 60_000} min, ${times} may be`);
  };
  within(`actions on ${last.agent}`, budgets.agent, controls.filter(ofAgent));
  within(`restarts of ${last.agent}`, budgets.agentRestarts, restarts.filter(ofAgent));
  within("actions on all agents", budgets.node, controls);
  within("restarts of all agents", budgets.nodeRestarts, restarts);
  return found;
}
