/**
 * What may stand against a step that is next on its recovery plan. One question each, in the order in which they are asked; an
 * objection says until when to wait, or that a human is needed. None of them can be switched off by a policy.
 */

import { type ActionRecord, type ActionTraits, resultOf } from "../action.js";
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
  /** `never`: not for the step, which does not come. */
  | { to: "wait"; reason: string; until: number | null; never?: true }
  | { to: "human"; reason: string }
  /** Nothing else stands against it; `beyond`: but for what would have been done before, which used up a budget. */
  | { to: "permission"; reason: string; overBudget: boolean }
  | null;
type ActionCheck = (question: CheckInput) => CheckResult;

export const RECHECK_MS: number = 30 * SECOND;
/** After waking up, nothing is done for so long: what was seen before the sleep is old, and what comes is late. */
const WAKE_GRACE_MS: number = MINUTE;
/** So long what an agent shows may be on its way. */
const UNSEEN_MAX_MS: number = 10 * MINUTE;
/** Nobody is interrupted before the program's own time-out, and a little. */
const OWN_TIMEOUT_MARGIN_MS: number = 30 * SECOND;

const wait = (reason: string, until: number | null): CheckResult => ({ to: "wait", reason, until });
const human = (reason: string): CheckResult => ({ to: "human", reason });

/** Evidence may still come; but what is never certain enough to act on is still a problem that somebody should see. */
function waitPatiently({ incident, policy, assessment, asleep, now }: CheckInput, reason: string): CheckResult {
  if (awakeMs(asleep, incident.since, now) >= policy.patienceMs) return human(reason);
  return wait(reason, Math.max(now + SECOND, Math.min(assessment.recheckAt ?? Infinity, now + RECHECK_MS)));
}

/** Where no evidence can grow, nothing is announced that never comes: what a human may do about it is said instead. */
function waitForEvidence(question: CheckInput, reason: string): CheckResult {
  const { assessment, step } = question;
  if (assessment.onlyReported === undefined) return waitPatiently(question, reason);
  const why = `rouse does not ${step.do} it: ${assessment.onlyReported}; you can, with \`rouse stop\` or \`rouse recover --restart\``;
  const objection = waitPatiently(question, why);
  return objection?.to === "wait" ? { ...objection, never: true } : objection;
}

/** Only a turn that runs uses anything, and only it can be interrupted. */
const RUNS: ReadonlySet<Assessment["state"]> = new Set<Assessment["state"]>(["working", "waiting", "stuck"]);

/** Is the problem there at this moment, or what rouse's own last action made of it? */
const checkStillPresent: ActionCheck = ({ assessment, incident, step, actions, traits, facts, now }) => {
  const problem = problemOf(assessment);
  if (problem === incident.problem) return null;
  if (problem !== null && HUMAN_ONLY.has(problem))
    return wait(`${problem}: only a human can answer this`, now + RECHECK_MS);
  if (incident.problem === "over_budget")
    return !traits.controls || RUNS.has(assessment.state) ? null : wait("no turn runs", now + RECHECK_MS);
  const last = actions.at(-1);
  const interrupted = last?.do === "interrupt" && resultOf(last, now) === "done";
  const atPrompt = assessment.state === "idle" || assessment.state === "complete";
  if (step.do === "nudge" && interrupted && atPrompt) return null;
  if (traits.starts && !traits.destructive && (assessment.state === "gone" || facts.gone)) return null;
  return wait("it is not to be seen at this moment", now + RECHECK_MS);
};

const checkDue: ActionCheck = (question) => {
  const { incident, assessment, facts, policy, step, actions, asleep, now } = question;
  const lasted = awakeMs(asleep, incident.since, now);
  if (lasted < step.when.afterMs) return wait(`${step.do} comes later`, now + step.when.afterMs - lasted);
  if (incident.problem === "rate_limited") {
    const dueAt = limitDueAt(policy.limits, incident, assessment, facts.resumesItself, actions);
    return now < dueAt ? wait(`the limit holds for another ${formatDuration(dueAt - now)}`, dueAt) : null;
  }
  if (assessment.state !== "stuck" || assessment.level === "act" || incident.problem === "over_budget") return null;
  if (step.when.level === "act") return waitForEvidence(question, `too early for ${step.do}: the evidence has to grow`);
  const ownMs = facts.ownTimeoutMs === null ? 0 : facts.ownTimeoutMs + OWN_TIMEOUT_MARGIN_MS;
  return step.do === "interrupt" && lasted < ownMs
    ? wait("the program's own time-out comes first", now + ownMs - lasted)
    : null;
};

const observerIsWell: ActionCheck = ({ traits, facts, now }) => {
  if (!traits.controls) return null;
  if (!facts.observerHealthy) return wait("rouse itself is not well: it only tells", now + RECHECK_MS);
  const sinceWaking = facts.wokeAt === null ? Infinity : now - facts.wokeAt;
  return sinceWaking < WAKE_GRACE_MS ? wait("rouse has just woken up", now + WAKE_GRACE_MS - sinceWaking) : null;
};

const checkNobodyTyping: ActionCheck = ({ traits, facts, now }) => {
  if (!traits.controls) return null;
  if (facts.humanPresent) return wait("a human is at the keyboard", now + MINUTE);
  return facts.promptOpen && !traits.starts ? human("a dialog is open, and only a human may answer it") : null;
};

const isItsTurn: ActionCheck = ({ outageQueue: turn, incident, traits, now }) => {
  if (!turn || !traits.controls) return null;
  const waits = checkOutageSlot(turn, incident.agent, traits, now);
  return waits ? wait(waits.reason, waits.until) : null;
};

/**
 * A nudge that was seen to start a turn has changed the screen. As long as no later one has come, the limit that is judged
 * is from before it, and the next, which the agent may have run into since, is still on its way.
 */
const isSeenSince: ActionCheck = ({ incident, actions, traits, facts, now }) => {
  if (incident.problem !== "rate_limited") return null;
  const last = actions.at(-1);
  const shownAt = facts.shownAt ?? null;
  if (!traits.types || !last?.outcome?.proven || shownAt === null || shownAt >= last.at) return null;
  const until = last.outcome.at + UNSEEN_MAX_MS;
  const reason = `its screen was not seen since ${last.do}`;
  return now < until ? wait(reason, Math.min(until, now + RECHECK_MS)) : null;
};

/** The activity assessment: whoever is active is left alone; whom nobody could see may be asked once, and no more. */
const guardAgrees: ActionCheck = (question) => {
  const { step, actions, traits, facts } = question;
  if ((!traits.types && !traits.starts) || !facts.guard || facts.guard.send) return null;
  const asked = actions.some((record) => record.do === step.do && resultOf(record, question.now) !== "refused");
  if (traits.types && facts.guard.may_ask && !asked) return null;
  return waitPatiently(question, `the guard: ${facts.guard.reason}`);
};

const checkEvidence: ActionCheck = (question) => {
  const { traits, assessment, step } = question;
  if (!traits.destructive || (assessment.level === "act" && assessment.kinds.length >= 2)) return null;
  const seers = assessment.kinds.map((kind) => (kind === "person" ? "you, who asked" : kind));
  return waitForEvidence(question, `${step.do} needs two kinds of evidence; seen by: ${seers.join(", ") || "none"}`);
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
  // A node's budget is spent by others: this one waits. An agent that used up its own is given up.
  if (spent.scope === "node" && spent.freeAt !== null) return wait(`the budget is spent: ${spent.what}`, spent.freeAt);
  return human(`the budget is spent: ${spent.what}`);
};

/** Who was interrupted for its spending is not set going again for another problem. */
const isNotHeld: ActionCheck = ({ traits, facts }) =>
  facts.heldUntil && (traits.types || traits.starts)
    ? wait("it was interrupted because its budget of the night is used up", facts.heldUntil)
    : null;

/** Asked last: what only waits for permission would have been done, as far as budgets go. */
const checkPermission: ActionCheck = (question) => {
  const { facts, history, unpermitted = [] } = question;
  if (facts.allowed) return null;
  const spent = spentOn(question, [...history, ...unpermitted]);
  const overBudget = spent ? `; by now the budget would be spent: ${spent.what}` : "";
  return {
    to: "permission",
    reason: `acting is not allowed${overBudget}; see \`rouse allow\``,
    overBudget: spent !== null,
  };
};

export const CHECKS: readonly ActionCheck[] = [
  checkStillPresent,
  checkDue,
  observerIsWell,
  checkNobodyTyping,
  isItsTurn,
  isSeenSince,
  guardAgrees,
  checkEvidence,
  isAffordable,
  isNotHeld,
  checkPermission,
];
