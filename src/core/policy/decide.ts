/**
 * Decides the next action of an incident from its policy and its action history, or why there is none.
 *
 * The checks run in order, and the first objection decides. They are pure: no clock, no random number, no I/O. The
 * effect that carries the action out checks everything again on the current screen.
 */

import { ACTIONS, type Action, type ActionRecord, resultOf, usesBudget } from "../action.js";
import { awakeMs } from "../awake.js";
import { digest } from "../digest.js";
import { confirmsAt } from "../incidents/course.js";
import type { Incident } from "../incidents/incident.js";
import { checkAllowedAction, problemOf } from "../incidents/problem.js";
import { supervisorText } from "../judgement/supervisor.js";
import { formatDuration } from "../text/duration.js";
import { joinSentences } from "../text/sentences.js";
import { SECOND } from "../text/time.js";
import { autoResumeStep } from "./auto-resume.js";
import { CHECK_TIMING, CHECKS } from "./checks.js";
import type { Policy, RecoveryStep } from "./policy.js";
import { traitsOf } from "./problems.js";
import { afterAction, nextStep, unfit } from "./recovery-plan.js";
import type { Situation } from "./situation.js";

export type Decision =
  | { action: Action; reason: string; wouldDo: null; overBudget?: never }
  /**
   * The recovery plan has ended, or a check objects. `wouldDo` is the action that lacks only permission; `overBudget`: the
   * actions before it would have used up the budget, so it would not have run even with permission.
   */
  | { action: Action & { do: "escalate" }; reason: string; wouldDo: Action | null; overBudget?: true }
  /** `wouldDo` is the next action, if it is known. */
  | { action: null; reason: string; recheckAt: number | null; wouldDo: Action | null };

type Nothing = Extract<Decision, { action: null }>;
const nothing = (reason: string, recheckAt: number | null = null, wouldDo: Action | null = null): Nothing => ({
  action: null,
  reason,
  recheckAt,
  wouldDo,
});

export function decide(input: Situation): Decision {
  const { incident, policy, history, asleep, now } = input;
  const actions = history.filter((record) => record.incident === incident.id);
  const settled = beforeThePlan(input);
  if (settled) return settled;
  if (incident.escalated) return afterEscalation(input, actions);
  const traits = traitsOf(incident.problem);
  if (traits.humanOnly) return escalate(input, actions, traits.userStep);
  const after = afterAction(actions, input.assessment, asleep, now);
  if (after?.kind === "check") return nothing(after.reason, after.until);
  if (after?.kind === "human") return escalate(input, actions, after.reason);
  const plan = (policy.plans[incident.problem] ?? []).filter(
    (step) => checkAllowedAction(incident.problem, step.do) === null,
  );
  const { step, skipped } = nextStep(plan, actions, input.assessment, input.facts);
  // While another problem is seen, the plan can look used up although it is not.
  const seen = problemOf(input.assessment);
  const isGone = input.facts.gone || input.assessment.state === "gone";
  if (!step && seen !== null && seen !== incident.problem && !isGone && incident.problem !== "over_budget")
    return nothing(`the agent currently shows ${seen}`, now + CHECK_TIMING.recheckMs);
  if (!step && seen === null && input.facts.unseen && lastOf(actions)?.do === "continue")
    return nothing("another session continues its task");
  if (!step) return escalate(input, actions, howItEnded(policy, plan, skipped, actions));
  for (const check of CHECKS) {
    const objection = check({ ...input, step, actions, traits: ACTIONS[step.do] });
    if (objection?.to === "wait")
      return nothing(objection.reason, objection.until, objection.never ? null : actionOf(input, step, actions));
    if (objection?.to === "human") return escalate(input, actions, objection.reason);
    if (objection?.to === "permission") {
      const reported = escalate(input, actions, objection.reason);
      return {
        ...reported,
        wouldDo: actionOf(input, step, actions),
        ...(objection.overBudget ? { overBudget: true } : {}),
      };
    }
  }
  const action = actionOf(input, step, actions);
  return { action, reason: reasonOf(input, step, action), wouldDo: null };
}

const lastOf = (actions: readonly ActionRecord[]): ActionRecord | undefined =>
  actions.findLast((record) => resultOf(record, Number.POSITIVE_INFINITY) === "done");

/** Reasons for no action that do not depend on a recovery plan. */
function beforeThePlan({ incident, assessment, facts, policy, asleep, now }: Situation): Nothing | null {
  if (incident.endedAt !== null) return nothing(`the incident is ${incident.phase}`);
  if (incident.ackedAt !== null) return nothing("acknowledged");
  if (facts.silencedUntil !== null) return nothing("silenced", facts.silencedUntil);
  if (incident.escalated && assessment.state === "unknown") return nothing("escalated to you");
  if (assessment.state === "unknown" && incident.problem !== "unknown")
    return nothing("rouse cannot see the agent well enough to act", now + CHECK_TIMING.recheckMs);
  const { supervisor } = assessment;
  if (supervisor)
    return nothing(supervisorText(supervisor, now), now < supervisor.actsAt ? supervisor.actsAt : supervisor.until);
  if (incident.heldUntil !== undefined && incident.quietSince !== null)
    return nothing("restarted: checking whether it works", now + CHECK_TIMING.recheckMs);
  if (incident.confirmedAt === null && !incident.escalated)
    return nothing(
      `waiting ${formatDuration(policy.confirmMs)} for confirmation before acting`,
      Math.max(now + SECOND, confirmsAt({ asleep }, incident, now, policy.confirmMs)),
    );
  return null;
}

/** Only one last nudge may follow. Whatever speaks against it, the incident stays with the user. */
function afterEscalation(input: Situation, actions: readonly ActionRecord[]): Decision {
  const { incident, assessment, facts, asleep, now } = input;
  const step = autoResumeStep(input, actions);
  if (step === null || unfit(step, assessment, facts) !== null) return nothing("escalated to you");
  const after = afterAction(actions, assessment, asleep, now);
  if (after) return nothing("escalated to you", after.kind === "check" ? after.until : null);
  for (const check of CHECKS) {
    const objection = check({ ...input, step, actions, traits: ACTIONS[step.do] });
    if (objection) return nothing("escalated to you", objection.to === "wait" ? objection.until : null);
  }
  const long = formatDuration(awakeMs(asleep, incident.since, now));
  const reason = joinSentences([`${incident.problem} for ${long}, one last nudge`, incident.reasons[0]]);
  return { action: actionOf(input, step, actions), reason, wouldDo: null };
}

function actionOf(input: Situation, step: RecoveryStep, actions: readonly ActionRecord[]): Action {
  const { incident, facts } = input;
  const attempt = actions.filter((record) => record.do === step.do && usesBudget(record)).length + 1;
  // An agent that could not be observed may be asked a question, but not given an instruction.
  const asks = step.do === "nudge" && facts.guard !== null && !facts.guard.send;
  const say = asks ? "are_you_there" : step.say;
  const task = step.do === "nudge" && actions.some(isInterrupt) ? (facts.forgets?.task ?? null) : null;
  return {
    id: idOf(incident, actions),
    do: step.do,
    incident: incident.id,
    agent: incident.agent,
    session: incident.session,
    problem: incident.problem,
    attempt,
    deadlineMs: ACTIONS[step.do].deadlineMs,
    proof: step.proof,
    waitMs: step.waitMs,
    ...(say ? { say } : {}),
    ...(task === null ? {} : { task }),
    ...(step.command ? { command: step.command } : {}),
  };
}

const isInterrupt = (record: ActionRecord): boolean => record.do === "interrupt" && usesBudget(record);

const idOf = (incident: Incident, actions: readonly ActionRecord[]): string =>
  digest(JSON.stringify([incident.id, incident.reopened, actions.length]));

function reasonOf({ incident }: Situation, step: RecoveryStep, { attempt }: Action): string {
  return joinSentences([`${incident.problem}, attempt ${attempt} of ${step.limit}`, incident.reasons[0]]);
}

type Escalation = Extract<Decision, { action: { do: "escalate" } }>;

function escalate({ incident }: Situation, actions: readonly ActionRecord[], why: string): Escalation {
  const action = {
    id: idOf(incident, actions),
    do: "escalate" as const,
    incident: incident.id,
    agent: incident.agent,
    session: incident.session,
    problem: incident.problem,
    attempt: 1,
    deadlineMs: ACTIONS.escalate.deadlineMs,
    proof: "none" as const,
    waitMs: 0,
  };
  return { action, reason: `needs you: ${why}`, wouldDo: null };
}

/** The steps that were tried and the steps that were skipped, for the user. */
function howItEnded(
  policy: Policy,
  plan: readonly RecoveryStep[],
  skipped: readonly string[],
  actions: readonly ActionRecord[],
): string {
  if (plan.length === 0) return `policy ${policy.name} has no recovery step for this problem`;
  const tally = new Map<string, number>();
  for (const record of actions.filter(usesBudget)) {
    const what = `${record.do} (${resultOf(record, Number.POSITIVE_INFINITY)})`;
    tally.set(what, (tally.get(what) ?? 0) + 1);
  }
  const tried = [...tally].map(([what, times]) => (times > 1 ? `${what} ${times} times` : what));
  return joinSentences([
    tried.length > 0 ? `tried ${tried.join(", ")}` : "no automatic recovery is available for this agent",
    skipped.length > 0 ? `skipped ${skipped.join(", ")}` : "",
  ]);
}
