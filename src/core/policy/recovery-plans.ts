/** The steps of the built-in recovery plans, and the plans that several problems share. */
import { MINUTE, SECOND } from "../text/time.js";
import type { RecoveryStep, SessionOrigin, StepCondition } from "./policy.js";

/** Sessions without a user in front of them: by default only these are ended. */
const OWN: readonly SessionOrigin[] = ["spawn"];

export const when = (rest: Partial<StepCondition> = {}): StepCondition => ({
  level: "act",
  afterMs: 0,
  origins: null,
  ...rest,
});

export const nudge = (limit: number, rest: Partial<RecoveryStep> = {}): RecoveryStep => ({
  do: "nudge",
  when: when({ level: "report" }),
  limit,
  waitMs: 2 * MINUTE,
  proof: "turn_started",
  say: "continue",
  ...rest,
});
export const interrupt: RecoveryStep = {
  do: "interrupt",
  when: when(),
  limit: 1,
  waitMs: 30 * SECOND,
  proof: "turn_ended",
};
export const stop: RecoveryStep = {
  do: "stop",
  when: when({ origins: OWN }),
  limit: 1,
  waitMs: 30 * SECOND,
  proof: "process_gone",
};
export const resume = (limit: number): RecoveryStep => ({
  do: "resume",
  when: when({ level: "report", origins: OWN }),
  limit,
  waitMs: 3 * MINUTE,
  proof: "progress",
});
const continueTask: RecoveryStep = {
  do: "continue",
  when: when({ level: "report", origins: OWN }),
  limit: 2,
  waitMs: 5 * MINUTE,
  proof: "progress",
};
const release: RecoveryStep = { do: "release", when: when({ level: "report" }), limit: 1, waitMs: 0, proof: "none" };
const block: RecoveryStep = { do: "block", when: when(), limit: 1, waitMs: 0, proof: "none" };
export const endChild: RecoveryStep = {
  do: "end_child",
  when: when(),
  limit: 1,
  waitMs: 2 * MINUTE,
  proof: "child_gone",
};

/** End the dead request and continue; then a new process with the same session. */
export const AFTER_HANG: readonly RecoveryStep[] = [
  interrupt,
  nudge(1, { waitMs: 3 * MINUTE }),
  stop,
  resume(1),
  continueTask,
];
/** At its prompt with the work unfinished: one short text is enough, if anything is. */
export const AT_PROMPT: readonly RecoveryStep[] = [nudge(2), stop, resume(1)];
/** Point out the repetition once. Continuing would only cost more. */
export const AGAINST_LOOP: readonly RecoveryStep[] = [
  interrupt,
  nudge(1, { say: "repeating", when: when(), waitMs: 5 * MINUTE }),
  block,
];
/**
 * The process has ended. A resumed session keeps its claims; one that stays at its prompt is nudged. Otherwise another session
 * takes over the task, or it is offered again.
 */
export const AFTER_EXIT: readonly RecoveryStep[] = [resume(2), nudge(2), continueTask, release];
/** Ask for a report; then another session takes over the task, or it is offered again. */
export const ASK_FOR_REPORT: readonly RecoveryStep[] = [
  nudge(1, { say: "report", waitMs: 5 * MINUTE }),
  stop,
  continueTask,
  release,
];
