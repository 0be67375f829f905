/** When a rate-limited agent may be nudged again. */

import { type ActionRecord, usesBudget } from "../action.js";
import { digest } from "../digest.js";
import type { Incident } from "../incidents/incident.js";
import type { Assessment } from "../judgement/assess.js";
import type { LimitRules } from "./policy.js";

/** A fraction from 0 to 1 that depends only on the text: spreads agents without randomness. */
export function spreadFraction(text: string): number {
  return (Number.parseInt(digest(text), 36) % 10_007) / 10_007;
}

/**
 * The printed reset plus a margin and the agent's own jitter. If the reset is unknown or turned out wrong, the wait
 * doubles each time instead. A program that continues by itself gets extra time, because typing would cancel that.
 */
export function limitDueAt(
  rules: LimitRules,
  incident: Incident,
  { until }: Pick<Assessment, "until">,
  resumesItself: boolean,
  actions: readonly ActionRecord[],
): number {
  const nudges = actions.filter((record) => record.do === "nudge" && usesBudget(record));
  const last = nudges.at(-1);
  const jitterMs = spreadFraction(incident.agent) * rules.jitterMs;
  const known = until ?? incident.until;
  if (known !== null && (last === undefined || known > last.at))
    return known + rules.marginMs + jitterMs + (resumesItself ? rules.ownResumeMs : 0);
  const backoffMs = Math.min(rules.backoffMaxMs, rules.backoffMs * 2 ** Math.min(30, nudges.length));
  return (last?.at ?? incident.since) + backoffMs + jitterMs;
}
