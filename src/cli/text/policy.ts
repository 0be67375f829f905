/** Policies for people: each problem with its recovery plan, one line per step. */

import type { ActionName } from "../../core/action.js";
import { AGENT_PROBLEMS, HUMAN_ONLY, needsConfirming, type Problem } from "../../core/incidents/problem.js";
import type { Budget, Policy, RecoveryStep, SessionOrigin } from "../../core/policy/policy.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitize } from "../../core/text/sanitize.js";
import { HOUR } from "../../core/text/time.js";
import { textFor } from "../../effects/keys/texts.js";
import { paintText } from "./paint.js";

export function policyText(policy: Policy, colour: boolean): string {
  const { limits, budgets } = policy;
  const lines = [
    `${paintText(sanitize(policy.name), "bold", colour)}: ${sanitize(policy.description)}`,
    `  a suspicion is confirmed after ${formatDuration(policy.confirmMs)}; escalates to you if the next step still lacks evidence ${formatDuration(policy.patienceMs)} after the detection`,
    `  an outage escalates to you after ${formatDuration(policy.outageMs)}; then dead agents are restarted one at a time`,
    `  usage limits: nudge ${formatDuration(limits.marginMs)} after the reset, plus up to ${formatDuration(limits.jitterMs)}; without a reset time after ${formatDuration(limits.backoffMs)}, doubling up to ${formatDuration(limits.backoffMaxMs)}; ${formatDuration(limits.ownResumeMs)} later if the program continues by itself`,
    `  budgets: ${budgets.incident} actions per incident; per agent ${budgetText(budgets.agent, budgets.agentRestarts)}; per machine ${budgetText(budgets.node, budgets.nodeRestarts)}`,
    "",
  ];
  for (const problem of AGENT_PROBLEMS) lines.push(...planLines(problem, policy, colour));
  return `${lines.join("\n")}\n`;
}

function planLines(problem: Problem, { plans, patienceMs, autoResumeMs }: Policy, colour: boolean): string[] {
  const plan = plans[problem] ?? [];
  const notified = noticeText(problem, patienceMs);
  const name = paintText(problem.padEnd(22), "bold", colour);
  const steps = plan;
  if (steps.length === 0)
    return [`${name}${notified}, then escalate to you${HUMAN_ONLY.has(problem) ? "; human-only" : ""}`];
  return [
    `${name}${notified}`,
    ...steps.map((step) => `${" ".repeat(22)}${stepText(step)}`),
    `${" ".repeat(22)}then escalate to you`,
    ...(steps.some((step) => step.do === "nudge")
      ? [`${" ".repeat(22)}after ${formatDuration(autoResumeMs)}: nudge once more, if it is at its prompt`]
      : []),
  ];
}

/** As the notices: a limit that ends soon needs no message. */
function noticeText(problem: Problem, patienceMs: number): string {
  if (problem === "rate_limited") return `show at once, notify after ${formatDuration(patienceMs)}`;
  return needsConfirming(problem) ? "notify when confirmed" : "notify at once";
}

const PROOF_WORDS: Readonly<Record<Exclude<RecoveryStep["proof"], "none">, string>> = {
  turn_ended: "the turn has ended",
  turn_started: "a turn has started",
  process_gone: "the process is gone",
  process_started: "the process has started",
  child_gone: "the command has ended",
  progress: "new work",
};

/** Steps on a task. */
const TASK_STEPS: ReadonlySet<ActionName> = new Set<ActionName>(["continue", "release", "block"]);

function stepText({ do: name, when, limit, waitMs, proof, say, command }: RecoveryStep): string {
  const what = [
    name,
    ...(say ? [`"${textFor(say)}"`] : []),
    ...(command ? [sanitize(command.join(" "), 60)] : []),
  ].join(" ");
  const parts = [
    limit > 1 ? `${what}, at most ${limit} times` : what,
    ...(when.afterMs > 0 ? [`after ${formatDuration(when.afterMs)}`] : []),
    ...(when.level === "act" ? ["when certain"] : []),
    ...(when.origins ? [`only for agents of ${when.origins.map((origin) => ORIGIN_WORDS[origin]).join(", ")}`] : []),
    ...(waitMs > 0 ? [`then check for ${formatDuration(waitMs)}`] : []),
    ...(TASK_STEPS.has(name) ? ["if it holds a task"] : []),
    ...(proof === "none" ? [] : [`proof: ${PROOF_WORDS[proof]}`]),
  ];
  return parts.join("; ");
}

const ORIGIN_WORDS: Readonly<Record<SessionOrigin, string>> = {
  run: "`rouse run`",
  spawn: "`rouse spawn`",
  tmux: "tmux",
  transcript: "other terminals",
  report: "agents that rouse cannot see",
};

function budgetText(actions: Budget, restarts: Budget): string {
  const isSame = actions.periodMs === restarts.periodMs;
  return `${actions.times} actions${isSame ? "" : ` ${periodText(actions)}`} and ${restarts.times} stops or starts ${periodText(restarts)}`;
}

const periodText = ({ periodMs }: Budget): string =>
  periodMs === HOUR ? "per hour" : `in ${formatDuration(periodMs)}`;
