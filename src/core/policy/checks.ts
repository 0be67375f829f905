/**
 * The checks before the next step of a recovery plan, in order. An objection gives the time to wait for, or escalates to
 * the user. A policy cannot turn them off.
 */

import { ACTIONS, type ActionRecord, type ActionTraits, resultOf } from "../action.js";
import { awakeMs } from "../awake.js";
import { HUMAN_ONLY, problemOf } from "../incidents/problem.js";
import type { Assessment } from "../judgement/assess.js";
import { formatDuration } from "../text/duration.js";
import { MINUTE, SECOND } from "../text/time.js";
import { type ExhaustedBudget, spentBudget } from "./budget.js";
import { limitDueAt } from "./limit-wait.js";
import { checkOutageSlot } from "./outage-queue.js";
import type { RecoveryStep } from "./policy.js";
import type { Situation } from "./situation.js";

interface CheckInput extends Situation {
  step: RecoveryStep;
  /** Of this incident. */
  actions: readonly ActionRecord[];
  traits: ActionTraits;
}

type CheckResult =
  /** `never`: the step will not run, so it is not announced. */
  | { to: "wait"; reason: string; until: number | null; never?: true }
  | { to: "human"; reason: string }
  /** Only permission is missing; `overBudget`: the unpermitted actions before it would have used up a budget. */
  | { to: "permission"; reason: string; overBudget: boolean }
  | null;
type ActionCheck = (question: CheckInput) => CheckResult;

/** How long the checks wait. */
export const CHECK_TIMING: Readonly<
  Record<"recheckMs" | "wakeGraceMs" | "unseenMaxMs" | "ownTimeoutMarginMs", number>
> = {
  /** Until a question is decided again, if nothing changes before. */
  recheckMs: 30 * SECOND,
  /** No action for this long after waking up: observations from before the sleep are stale, and new ones arrive late. */
  wakeGraceMs: MINUTE,
  /** The longest wait for a screen update after an action. */
  unseenMaxMs: 10 * MINUTE,
  /** Added to the program's own timeout before an interrupt. */
  ownTimeoutMarginMs: 30 * SECOND,
};

const wait = (reason: string, until: number | null): CheckResult => ({ to: "wait", reason, until });
const human = (reason: string): CheckResult => ({ to: "human", reason });

/** Waits for more evidence; after the policy's patience, a problem without enough evidence goes to the user. */
function waitPatiently({ incident, policy, assessment, asleep, now }: CheckInput, reason: string): CheckResult {
  if (awakeMs(asleep, incident.since, now) >= policy.patienceMs) return human(reason);
  return wait(reason, Math.max(now + SECOND, Math.min(assessment.recheckAt ?? Infinity, now + CHECK_TIMING.recheckMs)));
}

/** If no more evidence can come, the step is not announced; the reason names what the user can do instead. */
function waitForEvidence(question: CheckInput, reason: string): CheckResult {
  const { assessment, step } = question;
  if (assessment.onlyReported === undefined) return waitPatiently(question, reason);
  const why = `rouse will not ${step.do} it: ${assessment.onlyReported}; use \`rouse stop\` or \`rouse recover --restart\``;
  const objection = waitPatiently(question, why);
  return objection?.to === "wait" ? { ...objection, never: true } : objection;
}

/** Only a running turn spends tokens and can be interrupted. */
const RUNS: ReadonlySet<Assessment["state"]> = new Set<Assessment["state"]>(["working", "waiting", "stuck"]);

/** The problem, or the expected result of rouse's last action, must be visible now. */
const checkStillPresent: ActionCheck = ({ assessment, incident, step, actions, traits, facts, now }) => {
  const problem = problemOf(assessment);
  if (problem === incident.problem) return null;
  if (problem !== null && HUMAN_ONLY.has(problem))
    return wait(`${problem}: only you can resolve this`, now + CHECK_TIMING.recheckMs);
  if (incident.problem === "over_budget")
    return !traits.controls || RUNS.has(assessment.state)
      ? null
      : wait("no turn is running", now + CHECK_TIMING.recheckMs);
  // A refused action changed nothing.
  const last = actions.findLast((record) => resultOf(record, now) !== "refused");
  const interrupted = last?.do === "interrupt" && resultOf(last, now) === "done";
  const atPrompt = assessment.state === "idle" || assessment.state === "complete";
  // A resumed session at its prompt has not been told to continue, or did not hear it.
  const resumed = actions.some(({ do: name }) => ACTIONS[name].starts) && assessment.state === "idle";
  if (step.do === "nudge" && ((interrupted && atPrompt) || resumed)) return null;
  if (traits.starts && !traits.destructive && (assessment.state === "gone" || facts.gone)) return null;
  if (step.do === "release" && (assessment.state === "gone" || facts.gone)) return null;
  return wait("the problem is not visible at the moment", now + CHECK_TIMING.recheckMs);
};

const checkDue: ActionCheck = (question) => {
  const { incident, assessment, facts, policy, step, actions, asleep, now } = question;
  const lasted = awakeMs(asleep, incident.since, now);
  if (lasted < step.when.afterMs) return wait("not due yet", now + step.when.afterMs - lasted);
  if (facts.scheduledAt != null && now < facts.scheduledAt)
    return wait("waiting for the next scheduled check of checkpoints", facts.scheduledAt);
  if (incident.problem === "rate_limited") {
    const dueAt = limitDueAt(policy.limits, incident, assessment, facts.resumesItself, actions);
    return now < dueAt ? wait(`waiting ${formatDuration(dueAt - now)} for the limit to reset`, dueAt) : null;
  }
  if (assessment.state !== "stuck" || assessment.level === "act" || incident.problem === "over_budget") return null;
  if (step.when.level === "act") return waitForEvidence(question, `not enough evidence for ${step.do} yet`);
  const ownMs = facts.ownTimeoutMs === null ? 0 : facts.ownTimeoutMs + CHECK_TIMING.ownTimeoutMarginMs;
  return step.do === "interrupt" && lasted < ownMs
    ? wait("waiting for the program's own timeout", now + ownMs - lasted)
    : null;
};

const observerIsWell: ActionCheck = ({ traits, facts, now }) => {
  if (!traits.controls) return null;
  if (!facts.observerHealthy)
    return wait("rouse itself is unhealthy, so it does not act", now + CHECK_TIMING.recheckMs);
  const sinceWaking = facts.wokeAt === null ? Infinity : now - facts.wokeAt;
  return sinceWaking < CHECK_TIMING.wakeGraceMs
    ? wait("the machine has just woken up", now + CHECK_TIMING.wakeGraceMs - sinceWaking)
    : null;
};

const checkNoUserTyping: ActionCheck = ({ traits, facts, now }) => {
  if (!traits.controls) return null;
  if (facts.humanPresent) return wait("a user is at the keyboard", now + MINUTE);
  return facts.promptOpen && !traits.starts ? human("a dialog is open, and only you can answer it") : null;
};

const isItsTurn: ActionCheck = ({ outageQueue: turn, incident, traits, now }) => {
  if (!turn || !traits.controls) return null;
  const waits = checkOutageSlot(turn, incident.agent, traits, now);
  return waits ? wait(waits.reason, waits.until) : null;
};

/**
 * A proven nudge changes the screen. Until a newer screen arrives, the limit in the assessment is from before the nudge,
 * and a new limit may not have been seen yet.
 */
const isSeenSince: ActionCheck = ({ incident, actions, traits, facts, now }) => {
  if (incident.problem !== "rate_limited") return null;
  const last = actions.at(-1);
  const shownAt = facts.shownAt ?? null;
  if (!traits.types || !last?.outcome?.proven || shownAt === null || shownAt >= last.at) return null;
  const until = last.outcome.at + CHECK_TIMING.unseenMaxMs;
  const reason = `no screen update since ${last.do}`;
  return now < until ? wait(reason, Math.min(until, now + CHECK_TIMING.recheckMs)) : null;
};

/** An active agent is left alone; an agent that could not be observed is asked once. */
const guardAgrees: ActionCheck = (question) => {
  const { step, actions, traits, facts } = question;
  if ((!traits.types && !traits.starts) || !facts.guard || facts.guard.send) return null;
  const asked = actions.some((record) => record.do === step.do && resultOf(record, question.now) !== "refused");
  if (traits.types && facts.guard.may_ask && !asked) return null;
  return waitPatiently(question, `activity guard: ${facts.guard.reason}`);
};

const checkEvidence: ActionCheck = (question) => {
  const { traits, assessment, step } = question;
  if (!traits.destructive || (assessment.level === "act" && assessment.kinds.length >= 2)) return null;
  if (assessment.kinds.length >= 2) return waitForEvidence(question, `not enough evidence for ${step.do} yet`);
  const seers = assessment.kinds.map((kind) => (kind === "person" ? "your request" : kind));
  return waitForEvidence(question, `${step.do} needs two kinds of evidence; found: ${seers.join(", ") || "none"}`);
};

function spentOn(
  { policy, incident, traits, now }: CheckInput,
  actions: readonly ActionRecord[],
): ExhaustedBudget | null {
  if (!traits.controls) return null;
  const restart = traits.destructive || traits.starts;
  return spentBudget(policy.budgets, actions, { incident: incident.id, agent: incident.agent, restart }, now);
}

const isAffordable: ActionCheck = (question) => {
  const spent = spentOn(question, question.history);
  if (!spent) return null;
  // Other agents use up a node's budget, so this one waits. An agent that used up its own budget is escalated.
  if (spent.scope === "node" && spent.freeAt !== null) return wait(`budget used up: ${spent.what}`, spent.freeAt);
  return human(`budget used up: ${spent.what}`);
};

/** An agent that was interrupted for its spending is not started again because of another problem. */
const isNotHeld: ActionCheck = ({ traits, facts }) =>
  facts.heldUntil && (traits.types || traits.starts)
    ? wait("interrupted because its nightly budget is used up", facts.heldUntil)
    : null;

/** Runs last, so that everything else, including budgets, has already passed. */
const checkPermission: ActionCheck = (question) => {
  const { facts, history, unpermitted = [] } = question;
  if (facts.allowed) return null;
  const spent = spentOn(question, [...history, ...unpermitted]);
  const overBudget = spent ? `; its budget would be used up by now: ${spent.what}` : "";
  return {
    to: "permission",
    reason: `auto-recovery is off (see \`rouse allow\`)${overBudget}`,
    overBudget: spent !== null,
  };
};

export const CHECKS: readonly ActionCheck[] = [
  checkStillPresent,
  checkDue,
  observerIsWell,
  checkNoUserTyping,
  isItsTurn,
  isSeenSince,
  guardAgrees,
  checkEvidence,
  isAffordable,
  isNotHeld,
  checkPermission,
];
