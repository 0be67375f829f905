/** The `agents.health` keys of the agent-health proposal and `check.auto_resume_hours`, each as what it means in a policy. */
import type { Problem } from "../incidents/problem.js";
import { HOUR } from "../text/time.js";
import { POLICIES } from "./builtin.js";
import type { Policy, RecoveryStep } from "./policy.js";

export interface PolicyKeys {
  enabled: boolean;
  auto_kill_on_idle: boolean;
  auto_kill_on_repeated_error: boolean;
  rate_limit_backoff_seconds: number;
  auto_resume_hours: number;
}

/** Earlier, the plan itself may still be under way. */
const AUTO_RESUME_MIN_MS = HOUR;

/** Stalls in which no output comes. */
const IDLE: readonly Problem[] = ["silent_stream", "frozen_screen"];

const ends = ({ do: name }: RecoveryStep): boolean => name === "stop" || name === "restart";

export function withHealth(policy: Policy, health: PolicyKeys): Policy {
  if (!health.enabled) return { ...policy, plans: {} };
  const plans = { ...policy.plans };
  if (!health.auto_kill_on_idle)
    for (const problem of IDLE) plans[problem] = (plans[problem] ?? []).filter((step) => !ends(step));
  const stop = POLICIES.default.plans.no_completion_signal?.find(ends);
  const repeated = plans.repeated_error ?? [];
  // A policy without a plan for this problem keeps reporting only.
  if (health.auto_kill_on_repeated_error && stop && repeated.length > 0 && !repeated.some(ends))
    plans.repeated_error = [...repeated, stop];
  const autoResumeMs = Math.max(AUTO_RESUME_MIN_MS, health.auto_resume_hours * HOUR);
  const backoffMs = health.rate_limit_backoff_seconds * 1000;
  return { ...policy, plans, limits: { ...policy.limits, backoffMs }, autoResumeMs };
}
