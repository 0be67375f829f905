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
    `  a suspicion is confirmed after ${formatDuration(policy.confirmMs)}; what cannot be proven for ${formatDuration(policy.patienceMs)} goes to a human`,
    `  an outage goes to a human after ${formatDuration(policy.outageMs)}; then those that died are started again one after the other`,
    `  limits: reset + ${formatDuration(limits.marginMs)} + up to ${formatDuration(limits.jitterMs)}; no reset known: ${formatDuration(limits.backoffMs)}, doubling up to ${formatDuration(limits.backoffMaxMs)}`,
    `  budgets: ${budgets.incident} actions per incident; per agent ${budgetText(budgets.agent)}, restarts ${budgetText(budgets.agentRestarts)}; per node ${budgetText(budgets.node)}, restarts ${budgetText(budgets.nodeRestarts)}`,
    "",
  ];
  for (const problem of PROBLEMS) lines.push(...planLines(problem, policy.plans[problem] ?? [], colour));
  return `${lines.join("\n")}\n`;
}

function planLines(problem: Problem, steps: readonly RecoveryStep[], colour: boolean): string[] {
  const reported = needsConfirming(problem) ? "report" : "tell at once";
  const name = paintText(problem.padEnd(22), "bold", colour);
  if (steps.length === 0)
    return [`${name}${reported}, then a human${HUMAN_ONLY.has(problem) ? "; never touched" : ""}`];
  return [
    `${name}${reported}`,
    ...steps.map((step) => `${" ".repeat(22)}${stepText(step)}`),
    `${" ".repeat(22)}then a human`,
  ];
}

function stepText({ do: name, when, limit, waitMs, proof, say, command }: RecoveryStep): string {
  const what = [name, ...(say ? [`"${say}"`] : []), ...(command ? [sanitize(command.join(" "), 60)] : [])].join(" ");
  return [
    limit > 1 ? `${what}, at most ${limit} times` : what,
    ...(when.afterMs > 0 ? [`after ${formatDuration(when.afterMs)}`] : []),
    ...(when.level === "act" ? ["when sure"] : []),
    ...(when.origins ? [`only ${when.origins.join(", ")}`] : []),
    ...(waitMs > 0 ? [`then look for ${formatDuration(waitMs)}`] : []),
    ...(proof === "none" ? [] : [`proof: ${proof}`]),
  ].join("; ");
}

const budgetText = ({ times, periodMs }: Budget): string => `${times} in ${formatDuration(periodMs)}`;
