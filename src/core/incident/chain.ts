/**
 * Which trouble is the same one under another name: a hang that the program gives up on becomes an error at the prompt,
 * an error that comes again a circle. The incident goes on, with all that was tried in it.
 */
import type { Trouble } from "../trouble.js";

const ENDS: readonly Trouble[] = ["crash", "exit_code", "gone"];

const FOLLOWS: Readonly<Partial<Record<Trouble, readonly Trouble[]>>> = {
  silent_stream: ["frozen_screen", "api", "unreachable", "retry_storm", "stopped_early", "never_started", ...ENDS],
  frozen_screen: ["silent_stream", "api", ...ENDS],
  retry_storm: ["api", "unreachable", "silent_stream", ...ENDS],
  api: ["error", "unreachable", "retry_storm", "silent_stream", ...ENDS],
  unreachable: ["api", "retry_storm", "silent_stream", ...ENDS],
  error: ["api", ...ENDS],
  tool_hang: ["waiting_on_stdin", "silent_stream", "frozen_screen"],
  waiting_on_stdin: ["tool_hang"],
  loop: ["repeated_error", "no_progress"],
  repeated_error: ["loop", "no_progress"],
  no_progress: ["loop", "repeated_error"],
  stopped_early: ["lost_result", "no_completion_signal", "silent_stream", "api"],
  lost_result: ["stopped_early", "silent_stream"],
  no_completion_signal: ["stopped_early", ...ENDS],
  no_checkpoint: ["stale_claim", "no_progress"],
  stale_claim: ["no_checkpoint"],
  compaction: ["silent_stream", "frozen_screen", "context_full", "api"],
  context_full: ["compaction", "poisoned_context"],
  never_started: ["silent_stream", "frozen_screen", ...ENDS],
  crash: ["exit_code", "gone", "never_started"],
  exit_code: ["crash", "gone", "never_started"],
  gone: ["crash", "exit_code", "never_started"],
};

export function follows(before: Trouble, after: Trouble): boolean {
  return before === after || (FOLLOWS[before]?.includes(after) ?? false);
}
