/** Policies for people: each problem with its recovery plan, one line per step. */

import type { ActionName } from "../../core/action.js";
import { HUMAN_ONLY, needsConfirming, PROBLEMS, type Problem } from "../../core/incidents/problem.js";
import type { Budget, Policy, RecoveryStep } from "../../core/policy/policy.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitize } from "../../core/text/sanitize.js";
import { HOUR } from "../../core/text/time.js";
import { paintText } from "./paint.js";

export function policyText(policy: Policy, colour: boolean): string {
  const { limits, budgets } = policy;
  const lines = [
    `${paintText(sanitize(policy.name), "bold", colour)}: ${sanitize(policy.says)}`,
    `  a suspicion is confirmed after ${formatDuration(policy.confirmMs)}; escalates to you if recovery is not proven within ${formatDuration(policy.patienceMs)}`,
    `  an outage escalates to you after ${formatDuration(policy.outageMs)}; then dead agents are restarted one at a time`,
    `  usage limits: continues ${formatDuration(limits.marginMs)} after the reset, plus up to ${formatDuration(limits.jitterMs)}; without a reset time: after ${formatDuration(limits.backoffMs)}, doubling up to ${formatDuration(limits.backoffMaxMs)}`,
    `  budgets: ${budgets.incident} actions per incident; per agent ${budgetText(budgets.agent, budgets.agentRestarts)}; per machine ${budgetText(budgets.node, budgets.nodeRestarts)}`,
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
  const what = [
    TASK_STEPS[name] ?? name,
    ...(say ? [`"${say}"`] : []),
    ...(command ? [sanitize(command.join(" "), 60)] : []),
  ].join(" ");
  const parts = [
    limit > 1 ? `${what}, at most ${limit} times` : what,
    ...(when.afterMs > 0 ? [`after ${formatDuration(when.afterMs)}`] : []),
    ...(when.level === "act" ? ["when certain"] : []),
    ...(when.origins ? [`only for ${when.origins.join(", ")} sessions`] : []),
    ...(waitMs > 0 ? [`then check for ${formatDuration(waitMs)}`] : []),
    ...(proof === "none" ? [] : [`proof: ${proof}`]),
  ];
  return `${parts.join("; ")}${TASK_STEPS[name] ? " (skipped: this version does not manage tasks)" : ""}`;
}

/** Steps that need a task manager. */
const TASK_STEPS: Readonly<Partial<Record<ActionName, string>>> = {
  continue: "continue the task in a new session",
  release: "release the task's claims",
  block: "block the task",
};

function budgetText(actions: Budget, restarts: Budget): string {
  const isSame = actions.periodMs === restarts.periodMs;
  return `${actions.times} actions${isSame ? "" : ` ${periodText(actions)}`} and ${restarts.times} stops or starts ${periodText(restarts)}`;
}

const periodText = ({ periodMs }: Budget): string =>
  periodMs === HOUR ? "per hour" : `in ${formatDuration(periodMs)}`;
