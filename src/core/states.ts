/** The vocabulary of the judgement, spelled the same in code, CLI, API, logs and docs. */

export const STATES = [
  "starting",
  "idle",
  "working",
  "waiting",
  "needs_input",
  "rate_limited",
  "stuck",
  "error",
  "complete",
  "gone",
  "unknown",
] as const;
export type State = (typeof STATES)[number];

export const STUCK_CAUSES = [
  "silent_stream",
  "frozen_screen",
  "tool_hang",
  "waiting_on_stdin",
  "loop",
  "repeated_error",
  "retry_storm",
  "no_progress",
  "no_checkpoint",
  "stale_claim",
  "no_completion_signal",
  "stopped_early",
  "lost_result",
  "compaction",
  "never_started",
  "never_exited",
] as const;

export const ERROR_CAUSES = [
  "auth",
  "billing",
  "api",
  "context_full",
  "poisoned_context",
  "policy_refusal",
  "crash",
  "exit_code",
  "disk_full",
  "unreachable",
] as const;
export type ErrorCause = (typeof ERROR_CAUSES)[number];

/** What the agent is waiting for: the `cause` of `waiting`, each with a maximum in `clocks.ts`. */
export const WAIT_CAUSES = ["tool", "subagent", "background", "retry", "compaction", "timer"] as const;
export type WaitCause = (typeof WAIT_CAUSES)[number];

/** Which kind of prompt is open: the `cause` of `needs_input`. */
export const PROMPT_KINDS = ["permission", "confirmation", "input", "plan", "trust", "login"] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

export type StuckCause = (typeof STUCK_CAUSES)[number];
export type Cause = StuckCause | ErrorCause | WaitCause | PromptKind | "limit";

/** Problems of a pipeline of tasks, which rules find in its tables. They belong to no agent. */
export const PIPELINE_PROBLEMS = [
  "no_viable_proposal",
  "no_change_built",
  "dead_worker",
  "unbuilt_proposal",
  "lock_held",
  "pipeline_idle",
] as const;
export type PipelineProblem = (typeof PIPELINE_PROBLEMS)[number];

/**
 * What an incident is about: a cause, or a state that needs none. Every prompt is one problem and every limit is one: a
 * dialog that is read in another way is still the same dialog.
 */
export type Problem =
  | StuckCause
  | ErrorCause
  | "rate_limited"
  | "needs_input"
  | "error"
  | "gone"
  | "unknown"
  | "over_budget"
  | PipelineProblem;

/** Health in the sense of the agent-health proposal: what `rouse health --filter unhealthy` lists. */
export const UNHEALTHY: ReadonlySet<State> = new Set<State>(["stuck", "error", "needs_input", "gone", "unknown"]);
