/** Scores the arms of the diagnosis benchmark, beside the best answer that is the same for every incident. */
import { percentile } from "../timeline.js";
import type { LabelledIncident } from "./label.js";
import { mostFrequent } from "./most-frequent.js";
import { topAction, type Verdict } from "./verdict.js";

export type IncidentLabel = Pick<LabelledIncident, "id" | "cause" | "actions" | "harmless">;

export interface Judged {
  label: IncidentLabel;
  verdict: Verdict;
}

export interface ArmFigures {
  incidents: number;
  /** Top-1. */
  rightCauses: number;
  rightActions: number;
  /** Incidents with an action that would do damage. */
  harmful: number;
  abstained: number;
  /** Null if no cost is known. */
  costUsd: number | null;
  /** Seconds; null if no model was asked. */
  p95Secs: number | null;
  mistakes: Mistake[];
}

/** An incident with a wrong cause, a wrong action or harm. */
export interface Mistake {
  id: string;
  cause: string;
  said: string | null;
  action: string;
  isActionRight: boolean;
  harm: string[];
}

export function scoreArm(judged: readonly Judged[]): ArmFigures {
  const results = judged.map(({ label, verdict }) => resultOf(label, verdict));
  const count = (is: (result: Mistake) => boolean): number => results.filter(is).length;
  const costs = judged.flatMap(({ verdict }) => verdict.costUsd ?? []);
  const times = judged.flatMap(({ verdict }) => (verdict.tookMs === null ? [] : verdict.tookMs / 1000));
  return {
    incidents: judged.length,
    rightCauses: count(isCauseRight),
    rightActions: count(({ isActionRight }) => isActionRight),
    harmful: count(({ harm }) => harm.length > 0),
    abstained: count(({ said }) => said === null),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    p95Secs: percentile(times, 0.95),
    mistakes: results.filter((one) => !(isCauseRight(one) && one.isActionRight && one.harm.length === 0)),
  };
}

const isCauseRight = ({ cause, said }: Mistake): boolean => said === cause;

function resultOf({ id, cause, actions, harmless }: IncidentLabel, verdict: Verdict): Mistake {
  const action = topAction(verdict);
  const harm = verdict.actions.filter((one) => !actions.includes(one) && !harmless.includes(one));
  // No answer is no action, not the right one.
  const isActionRight = verdict.cause !== null && actions.includes(action);
  return { id, cause, said: verdict.cause, action, isActionRight, harm };
}

export interface ConstantFigures {
  cause: string;
  action: string;
  rightCauses: number;
  rightActions: number;
}

/** The cause and the action that are right most often. */
export function bestConstant(labels: readonly IncidentLabel[]): ConstantFigures {
  const [cause, rightCauses] = mostFrequent(labels.map((label) => label.cause)) ?? ["none", 0];
  const [action, rightActions] = mostFrequent(labels.flatMap(({ actions }) => [...new Set(actions)])) ?? ["none", 0];
  return { cause, action, rightCauses, rightActions };
}

/** Why a model does not pass, one sentence each; none: it passes. It has to add something to the rules, without harm. */
export function checkPass(rules: ArmFigures, both: ArmFigures): string[] {
  return [
    ...(both.rightCauses > rules.rightCauses ? [] : ["rules plus model name no more right causes than rules alone"]),
    ...(both.rightActions >= rules.rightActions
      ? []
      : ["rules plus model choose fewer right actions than rules alone"]),
    ...(both.harmful === 0 ? [] : [`${both.harmful} incidents have an action that would do damage`]),
  ];
}
