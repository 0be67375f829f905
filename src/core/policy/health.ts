/** The `agents.health` keys of the agent-health proposal, each as what it means in a policy. */
import type { Problem } from "../problem.js";
import { POLICIES } from "./builtin.js";
import type { Policy, Rung } from "./policy.js";

export interface HealthKeys {
  enabled: boolean;
  auto_kill_on_idle: boolean;
  auto_kill_on_repeated_error: boolean;
  rate_limit_backoff_seconds: number;
}

/** Stalls in which no output comes. */
const IDLE: readonly Problem[] = ["silent_stream", "frozen_screen"];

const ends = ({ do: name }: Rung): boolean => name === "stop" || name === "restart";

export function withHealth(policy: Policy, health: HealthKeys): Policy {
  if (!health.enabled) return { ...policy, ladders: {} };
  const ladders = { ...policy.ladders };
  if (!health.auto_kill_on_idle)
    for (const problem of IDLE) ladders[problem] = (ladders[problem] ?? []).filter((rung) => !ends(rung));
  const stop = POLICIES.default.ladders.no_completion_signal?.find(ends);
  const repeated = ladders.repeated_error ?? [];
  // A policy without a ladder for it only tells, and goes on doing so.
  if (health.auto_kill_on_repeated_error && stop && repeated.length > 0 && !repeated.some(ends))
    ladders.repeated_error = [...repeated, stop];
  const backoffMs = health.rate_limit_backoff_seconds * 1000;
  return { ...policy, ladders, limits: { ...policy.limits, backoffMs } };
}
