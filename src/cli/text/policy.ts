/** Policies for people: each problem with its recovery plan, one line per step. */

import { HUMAN_ONLY, needsConfirming, PROBLEMS, type Problem } from "../../core/incidents/problem.js";
import type { Budget, Policy, RecoveryStep } from "../../core/policy/policy.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitize } from "../../core/text/sanitize.js";
import { paintText } from "./paint.js";

export function policyText(policy: Policy, colour: boolean): string {
  const { limits, budgets } = policy;
  const lines = [
    `${paintText(sanitize(policy.name), "bold", colour)}: ${sanitize(policy.says)}`,
    `  a suspicion is confirmed after ${formatDuration(policy.confirmMs)}; escalates to you if it stays unproven for ${formatDuration(policy.patienceMs)}`,
    `  an outage escalates to you after ${formatDuration(policy.outageMs)}; then dead agents are restarted one at a time`,
    `  usage limits: continues ${formatDuration(limits.marginMs)} after the reset, plus up to ${formatDuration(limits.jitterMs)}; without a reset time: after ${formatDuration(limits.backoffMs)}, doubling up to ${formatDuration(limits.backoffMaxMs)}`,
    `  budgets: ${budgets.incident} actions per incident; per agent ${budgetText(budgets.agent)}, restarts ${budgetText(budgets.agentRestarts)}; per machine ${budgetText(budgets.node)}, restarts ${budgetText(budgets.nodeRestarts)}`,
    "",
  ];
  for (const problem of PROBLEMS) lines.push(...planLines(problem, policy.plans[problem] ?? [], colour));
  return `${lines.join("\n")}\n`;
}

function planLines(problem: Problem, steps: readonly RecoveryStep[], colour: boolean): string[] {
  const reported = needsConfirming(problem) ? "report when confirmed" : "report at once";
  const name = paintText(problem.padEnd(22), "bold", colour);
  if (steps.length === 0)
    return [`${name}${reported}, then escalate to you${HUMAN_ONLY.has(problem) ? "; human-only" : ""}`];
  return [
    `${name}${reported}`,
    ...steps.map((step) => `${" ".repeat(22)}${stepText(step)}`),
    `${" ".repeat(22)}then escalate to you`,
  ];
}

function stepText({ do: name, when, limit, waitMs, proof, say, command }: RecoveryStep): string {
  const what = [name, ...(say ? [`"${say}"`] : []), ...(command ? [sanitize(command.join(" "), 60)] : [])].join(" ");
  return [
    limit > 1 ? `${what}, at most ${limit} times` : what,
    ...(when.afterMs > 0 ? [`after ${formatDuration(when.afterMs)}`] : []),
    ...(when.level === "act" ? ["when certain"] : []),
    ...(when.origins ? [`only for ${when.origins.join(", ")} sessions`] : []),
    ...(waitMs > 0 ? [`then check for ${formatDuration(waitMs)}`] : []),
    ...(proof === "none" ? [] : [`proof: ${proof}`]),
  ].join("; ");
}

const budgetText = ({ times, periodMs }: Budget): string => `${times} in ${formatDuration(periodMs)}`;
