/** The true states of a recorded session, and the right verdicts for each. */
import type { Cause, State } from "../core/states.js";

const CALM: readonly State[] = ["starting", "idle", "working", "waiting", "unknown"];

/** Allowed states while nothing is wrong. */
export const QUIET = new Map<string, ReadonlySet<State>>([
  ["starting", new Set<State>([...CALM, "complete"])],
  ["idle", new Set<State>([...CALM, "complete"])],
  ["working", new Set<State>(CALM)],
  ["interrupted", new Set<State>([...CALM, "complete", "needs_input", "gone"])],
  ["tool_running", new Set<State>(["working", "waiting", "unknown"])],
  ["retrying", new Set<State>(["working", "waiting", "rate_limited", "unknown"])],
  ["rate_limited", new Set<State>(["working", "waiting", "rate_limited", "unknown"])],
]);

/** Right states during a problem. `done` is scored like one: it has to be noticed too. */
export const PROBLEM = new Map<string, ReadonlySet<State>>([
  ["hung", new Set<State>(["stuck"])],
  ["tool_hung", new Set<State>(["stuck"])],
  ["looping", new Set<State>(["stuck"])],
  ["waiting_permission", new Set<State>(["needs_input"])],
  ["waiting_trust", new Set<State>(["needs_input"])],
  ["waiting_input", new Set<State>(["needs_input"])],
  ["usage_limited", new Set<State>(["rate_limited"])],
  ["auth_error", new Set<State>(["error"])],
  ["billing_error", new Set<State>(["error"])],
  ["context_full", new Set<State>(["error"])],
  ["stopped_error", new Set<State>(["error"])],
  ["unreachable", new Set<State>(["error", "stuck"])],
  ["crashed", new Set<State>(["gone", "error"])],
  ["done", new Set<State>(["complete"])],
]);

/** States that are not scored. */
const UNSCORED: ReadonlySet<string> = new Set(["exited", "orphaned"]);

/** Every valid label of a true state. */
export const LIVE_LABELS: readonly string[] = [...PROBLEM.keys(), ...QUIET.keys(), ...UNSCORED];

/** Errors that require different actions of a user, so the cause must be right as well. */
export const CAUSE = new Map<string, Cause>([
  ["auth_error", "auth"],
  ["billing_error", "billing"],
  ["context_full", "context_full"],
]);
