/** The `agents.health` keys of the agent-health proposal, each as what it means in a policy. */
import type { Problem } from "../incidents/problem.js";
import { POLICIES } from "./builtin.js";
import type { Policy, RecoveryStep } from "./policy.js";

export interface HealthKeys {
  enabled: boolean;
  auto_kill_on_idle: boolean;
  auto_kill_on_repeated_error: boolean;
  rate_limit_backoff_seconds: number;
}

/** Stalls in which no output comes. */
const IDLE: readonly Problem[] = ["silent_stream", "frozen_screen"];

const ends = ({ do: name }: RecoveryStep): boolean => name === "stop" || name === "restart";

export function withHealth(policy: Policy, health: HealthKeys): Policy {
  if (!health.enabled) return { ...policy, plans: {} };
  const plans = { ...policy.plans };
  if (!health.auto_kill_on_idle)
    for (const problem of IDLE) plans[problem] = (plans[problem] ?? []).filter((step) => !ends(step));
  const stop = POLICIES.default.plans.no_completion_signal?.find(ends);
  const repeated = plans.repeated_error ?? [];
  // A policy without a plan for this problem keeps reporting only.
  if (health.auto_kill_on_repeated_error && stop && repeated.length > 0 && !repeated.some(ends))
    plans.repeated_error = [...repeated, stop];
  const backoffMs = health.rate_limit_backoff_seconds * 1000;
  return { ...policy, plans, limits: { ...policy.limits, backoffMs } };
}
