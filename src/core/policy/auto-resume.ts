/**
 * The category auto-resume of the agent resume system: an agent that has been quiet for over twelve hours gets one more
 * nudge. It is the last step of a plan with a nudge: once per incident, after the escalation, under the checks of every
 * other nudge. A question to the user has no such plan, so it is never answered by it.
 */
import { type ActionRecord, usesBudget } from "../action.js";
import { awakeMs } from "../awake.js";
import type { RecoveryStep } from "./policy.js";
import type { Situation } from "./situation.js";

/** The nudge, if it was not sent yet; null if there is none. */
export function autoResumeStep(
  { policy, incident, asleep }: Situation,
  actions: readonly ActionRecord[],
): RecoveryStep | null {
  const nudge = policy.plans[incident.problem]?.findLast((step) => step.do === "nudge");
  if (!nudge) return null;
  const isLast = (record: ActionRecord): boolean =>
    record.do === "nudge" && usesBudget(record) && awakeMs(asleep, incident.since, record.at) >= policy.autoResumeMs;
  return actions.some(isLast) ? null : { ...nudge, when: { ...nudge.when, afterMs: policy.autoResumeMs } };
}
