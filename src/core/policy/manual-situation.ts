/**
 * A recovery that a user requested: no waiting times, and the request counts as permission and as one kind of evidence.
 * The safety checks stay: dialogs, a user at the keyboard, budgets, a printed reset, a healthy observer, and which
 * sessions may be stopped.
 */

import { distinctKinds } from "../judgement/evidence/kinds.js";
import { SECOND } from "../text/time.js";
import type { Policy, RecoveryStep } from "./policy.js";
import type { Situation } from "./situation.js";

/** Kill and respawn: the one step of `recover --restart`. */
const RESTART: RecoveryStep = {
  do: "restart",
  when: { level: "report", afterMs: 0, origins: null },
  limit: 20,
  waitMs: 30 * SECOND,
  proof: "process_started",
};

export function manualSituation(situation: Situation, how: "plan" | "restart"): Situation {
  const { policy, assessment, incident, facts, now } = situation;
  return {
    ...situation,
    policy: {
      ...policy,
      plans: plansFor(policy, incident.problem, how),
      // The printed reset still counts; only rouse's own margin is dropped.
      limits: { ...policy.limits, marginMs: 0, jitterMs: 0, backoffMs: 0 },
    },
    assessment: { ...assessment, level: "act", kinds: distinctKinds([...assessment.kinds, "person"]) },
    incident: { ...incident, confirmedAt: incident.confirmedAt ?? now, escalated: null, ackedAt: null },
    // The user has chosen which agent goes first.
    outageQueue: null,
    facts: { ...facts, allowed: true, silencedUntil: null, ownTimeoutMs: null, heldUntil: null, shownAt: null },
  };
}

function plansFor(policy: Policy, problem: Situation["incident"]["problem"], how: "plan" | "restart"): Policy["plans"] {
  if (how === "restart") return { [problem]: [RESTART] };
  const steps = policy.plans[problem] ?? [];
  return { [problem]: steps.map((step) => ({ ...step, when: { ...step.when, level: "report", afterMs: 0 } })) };
}
