/** The position of an incident in its recovery plan, derived from its actions, so that nothing else is stored. */

import { ACTIONS, type ActionName, type ActionRecord, type Proof, resultOf, usesBudget } from "../action.js";
import { awakeMs, type SleepSpans } from "../awake.js";
import { problemOf } from "../incidents/problem.js";
import type { Assessment } from "../judgement/assess.js";
import { MINUTE, SECOND } from "../text/time.js";
import type { ActionFacts } from "./facts.js";
import type { RecoveryStep } from "./policy.js";
import { traitsOf } from "./problems.js";

/** A refused action is retried with back-off, up to this many times. */
const REFUSALS_MAX = 5;
const REFUSED_MS: number = 30 * SECOND;
const REFUSED_MAX_MS: number = 10 * MINUTE;
/** An unknown outcome is observed for this long, then escalated. The action is never repeated. */
const UNKNOWN_CHECK_MS: number = 2 * MINUTE;

/**
 * What an effect saw at the terminal reaches the assessment a few checks later. If the assessment still shows a running
 * turn, the step's full wait passes first, because the next step may stop the session.
 */
const SETTLE_MS: number = 5 * SECOND;

const STEPS: ReadonlySet<Proof> = new Set<Proof>(["turn_ended", "process_gone", "none"]);

const NOUNS: Readonly<Record<ActionName, string>> = {
  nudge: "the nudge",
  interrupt: "the interrupt",
  end_child: "ending the command",
  stop: "the stop",
  resume: "the resume",
  restart: "the restart",
  continue: "the continuation",
  release: "the release",
  block: "the block",
  run: "your command",
  escalate: "the escalation",
};

export type AfterAction = { kind: "check"; reason: string; until: number } | { kind: "human"; reason: string } | null;

/** What the outcome of the last action requires before the next action. */
export function afterAction(
  actions: readonly ActionRecord[],
  assessment: Assessment,
  asleep: SleepSpans,
  now: number,
): AfterAction {
  const last = actions.at(-1);
  if (!last) return null;
  const at = last.outcome?.at ?? last.at;
  const passed = awakeMs(asleep, at, now);
  const check = (ms: number, reason: string): AfterAction =>
    passed < ms ? { kind: "check", reason, until: now + ms - passed } : null;
  switch (resultOf(last, now)) {
    case "pending":
      return { kind: "check", reason: `${last.do} is under way`, until: last.at + last.deadlineMs };
    case "unknown":
      return (
        check(UNKNOWN_CHECK_MS, `the outcome of ${NOUNS[last.do]} is unknown: checking`) ?? {
          kind: "human",
          reason: `the outcome of ${NOUNS[last.do]} is unknown, so it is not repeated`,
        }
      );
    case "refused": {
      const refusals = refusalsAtEnd(actions, last);
      const why = last.outcome?.reason ?? "";
      if (refusals >= REFUSALS_MAX)
        return { kind: "human", reason: `${last.do} was refused ${refusals} times: ${why}` };
      return check(Math.min(REFUSED_MAX_MS, REFUSED_MS * 2 ** (refusals - 1)), `${last.do} was refused: ${why}`);
    }
    case "failed":
      // The task has failed, or its next session cannot be started: both need the user, with the whole reason.
      if (last.do === "continue") return { kind: "human", reason: last.outcome?.reason ?? "" };
      return check(last.waitMs, `checking whether ${NOUNS[last.do]} helped`);
    case "done":
      // A proven interrupt or stop only prepares the next step.
      if (last.outcome?.proven && STEPS.has(last.proof) && !(last.proof === "turn_ended" && stillRuns(assessment)))
        return check(Math.min(SETTLE_MS, last.waitMs), `${last.do} worked: checking the result`);
      return check(last.waitMs, `checking whether ${NOUNS[last.do]} helped`);
  }
}

function refusalsAtEnd(actions: readonly ActionRecord[], last: ActionRecord): number {
  return actions.filter((record) => record.do === last.do && record.outcome?.result === "refused").length;
}

const NOT_POSSIBLE = "not possible here";

/** The first step with attempts left; never one before a step that was already used. */
export function nextStep(
  plan: readonly RecoveryStep[],
  actions: readonly ActionRecord[],
  assessment: Assessment,
  facts: ActionFacts,
): { step: RecoveryStep | null; skipped: string[] } {
  const used = (step: RecoveryStep): number =>
    actions.filter((record) => record.do === step.do && usesBudget(record)).length;
  const from = Math.max(
    0,
    plan.findLastIndex((step) => used(step) > 0),
  );
  const skipped: string[] = [];
  for (const step of plan.slice(from)) {
    if (used(step) >= step.limit) continue;
    const why = unfit(step, assessment, facts) ?? losesTask(step, plan, facts);
    if (why === null) return { step, skipped };
    if (why !== NOT_POSSIBLE) skipped.push(`${step.do} (${why})`);
  }
  return { step: null, skipped };
}

/**
 * Why the turn must not be interrupted to continue it afterwards: the program would forget the task. A new process that
 * resumes the conversation still has it; otherwise the nudge has to repeat it.
 */
function losesTask(step: RecoveryStep, plan: readonly RecoveryStep[], facts: ActionFacts): string | null {
  if (step.do !== "interrupt" || !facts.forgets) return null;
  const later = plan.slice(plan.indexOf(step) + 1);
  const isPlanned = (name: RecoveryStep["do"]): boolean =>
    later.some((one) => one.do === name && (name === "nudge" || isPossible(one, facts)));
  if (!isPlanned("nudge")) return null;
  if (facts.forgets.canResume && isPlanned("stop") && isPlanned("resume"))
    return "the program would forget the task; a resumed session keeps it";
  return facts.forgets.task === null ? "the program would forget the task" : null;
}

function stillRuns(assessment: Assessment): boolean {
  const problem = assessment.state === "stuck" ? problemOf(assessment) : null;
  return problem !== null && traitsOf(problem).duringTurn;
}

const isPossible = (step: RecoveryStep, facts: ActionFacts): boolean => unfitFor(step, facts) === null;

/** Why a step does not fit such a session, whatever its state. */
function unfitFor(step: RecoveryStep, facts: ActionFacts): string | null {
  // Not even a policy can stop a session in the user's own terminal.
  if (ACTIONS[step.do].destructive && step.do !== "end_child" && facts.origin === "run") return "runs in your terminal";
  // A session that rouse cannot see cannot be proven ended: a higher fence keeps it from the task.
  const isReplaceable = step.do === "continue" && facts.unseen === true;
  if (step.when.origins !== null && !step.when.origins.includes(facts.origin) && !isReplaceable)
    return `not for ${facts.origin} sessions`;
  return facts.can.includes(step.do) ? null : NOT_POSSIBLE;
}

/** Why a step does not fit this session now; null if it fits. */
export function unfit(step: RecoveryStep, assessment: Assessment, facts: ActionFacts): string | null {
  const never = unfitFor(step, facts);
  if (never !== null) return never;
  const traits = ACTIONS[step.do];
  // Text typed into a running turn is queued or lost. A turn that ignored the interrupt needs a stop.
  if (traits.types && stillRuns(assessment)) return "the turn is still running";
  const isGone = assessment.state === "gone" || facts.gone;
  const isReplaceable = step.do === "continue" && facts.unseen === true;
  if (traits.starts && !traits.destructive && !isGone && !isReplaceable) return "the old session is still running";
  if (isGone && !traits.starts && traits.controls) return "the session has ended";
  return null;
}
