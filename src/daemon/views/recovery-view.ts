/** The view of a recovery that a user ordered. */
import type { ActionName, NudgeText, OutcomeResult } from "../../core/action.js";
import type { Problem } from "../../core/incidents/problem.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { State } from "../../core/states.js";
import { sanitize } from "../../core/text/sanitize.js";
import type { Recovery } from "../recovery.js";

export interface RecoveryView {
  agent: string;
  state: State;
  incident: string | null;
  problem: Problem | null;
  dry_run: boolean;
  steps: { do: ActionName; say: NudgeText | null; result: OutcomeResult; reason: string; proven: boolean | null }[];
  /** Why it stopped there. */
  reason: string;
  /** The next action, or the action that would have been taken. */
  next: { do: ActionName; say: NudgeText | null } | null;
  next_check_at: string | null;
  /** Another action on the agent is under way. */
  busy: boolean;
}

export function recoveryView(
  { session, assessment }: SessionJudge,
  recovery: Recovery | null,
  isDry: boolean,
): RecoveryView {
  return {
    agent: sanitize(session.name, 80),
    state: assessment.state,
    incident: recovery?.incident?.id ?? null,
    problem: recovery?.incident?.problem ?? null,
    dry_run: isDry,
    steps: (recovery?.steps ?? []).map(({ action, outcome }) => ({
      do: action.do,
      say: action.say ?? null,
      result: outcome.result,
      reason: sanitize(outcome.reason, 300),
      proven: outcome.proven,
    })),
    reason: recovery ? sanitize(recovery.reason, 300) : "another action on this agent is under way; try again",
    next: recovery?.next ? { do: recovery.next.do, say: recovery.next.say ?? null } : null,
    next_check_at: recovery?.recheckAt == null ? null : new Date(recovery.recheckAt).toISOString(),
    busy: recovery === null,
  };
}
