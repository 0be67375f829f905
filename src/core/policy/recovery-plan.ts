/** Where on its recovery plan an incident stands: read out of its actions, so that nothing else has to be kept. */

import { ACTIONS, type ActionRecord, type Proof, resultOf, usesBudget } from "../action.js";
import { awakeMs, type SleepSpans } from "../awake.js";
import { problemOf } from "../incidents/problem.js";
import type { Assessment } from "../judgement/assess.js";
import { MINUTE, SECOND } from "../text/time.js";
import type { ActionFacts } from "./facts.js";
import type { RecoveryStep } from "./policy.js";
import { traitsOf } from "./problems.js";

/** A refused touch is tried again later and later, and not for ever. */
const REFUSALS_MAX = 5;
const REFUSED_MS: number = 30 * SECOND;
const REFUSED_MAX_MS: number = 10 * MINUTE;
/** An outcome that nobody knows is looked at for so long; then a human is told. It is never repeated. */
const UNKNOWN_CHECK_MS: number = 2 * MINUTE;

/**
 * What an effect saw at the terminal reaches the assessment a few looks later; until then it says what was before. Where
 * it goes on saying that the turn runs, the step's whole wait passes first: the next one may end the session.
 */
const SETTLE_MS: number = 5 * SECOND;

const STEPS: ReadonlySet<Proof> = new Set<Proof>(["turn_ended", "process_gone", "none"]);

export type AfterAction = { kind: "check"; reason: string; until: number } | { kind: "human"; reason: string } | null;

/** What the last action asks for before anything else may be done. */
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
        check(UNKNOWN_CHECK_MS, `nobody knows whether ${last.do} was done: checking`) ?? {
          kind: "human",
          reason: `nobody knows whether ${last.do} was done, and it is not repeated blindly`,
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
    case "done":
      // An interrupt or a stop that is proven is a step to the next step, not the remedy itself.
      if (last.outcome?.proven && STEPS.has(last.proof) && !(last.proof === "turn_ended" && stillRuns(assessment)))
        return check(Math.min(SETTLE_MS, last.waitMs), `${last.do} worked: checking what became of it`);
      return check(last.waitMs, `checking whether ${last.do} helped`);
  }
}

function refusalsAtEnd(actions: readonly ActionRecord[], last: ActionRecord): number {
  return actions.filter((record) => record.do === last.do && record.outcome?.result === "refused").length;
}

/** The first step that may still be used; never one before a step that was used already. */
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
    const why = unfit(step, assessment, facts);
    if (why === null) return { step, skipped };
    skipped.push(`${step.do} (${why})`);
  }
  return { step: null, skipped };
}

function stillRuns(assessment: Assessment): boolean {
  const problem = assessment.state === "stuck" ? problemOf(assessment) : null;
  return problem !== null && traitsOf(problem).duringTurn;
}

/** Why a step is not for this session at all; null when it is. */
function unfit(step: RecoveryStep, assessment: Assessment, facts: ActionFacts): string | null {
  const traits = ACTIONS[step.do];
  // Even a policy that says otherwise does not end a human's own terminal.
  if (traits.destructive && step.do !== "end_child" && facts.origin === "run") return "it runs in your terminal";
  if (step.when.origins !== null && !step.when.origins.includes(facts.origin)) return `not for ${facts.origin}`;
  if (!facts.can.includes(step.do)) return "not possible here";
  // Text typed into a running turn is queued or lost. Where an interrupt did not end it, more force is needed.
  if (traits.types && stillRuns(assessment)) return "its turn still runs";
  const isGone = assessment.state === "gone" || facts.gone;
  if (traits.starts && !traits.destructive && !isGone) return "the old session still runs";
  if (isGone && !traits.starts && traits.controls) return "the session is gone";
  return null;
}
