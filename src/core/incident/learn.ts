/**
 * What people say of alarms makes one agent's thresholds more patient: by half with every false alarm, never more than
 * four times, and back again with every alarm that was right. Never below what the user set.
 */
import { type Defaults, type Settings, setting } from "../defaults.js";
import type { Trouble } from "../trouble.js";
import type { FeedbackCount } from "./incident.js";

/** In all of these, larger is more patient. A trouble without a key is read from records and dialogs: no time decides it. */
const PATIENCE_OF: Readonly<Partial<Record<Trouble, readonly (keyof Defaults)[]>>> = {
  silent_stream: ["silence_patience"],
  frozen_screen: ["silence_patience"],
  tool_hang: ["tool_patience"],
  waiting_on_stdin: ["tool_patience"],
  repeated_error: ["repeated_error_threshold"],
  retry_storm: ["retry_ceiling_minutes"],
  no_progress: ["burn_output_tokens", "burn_active_minutes"],
  no_checkpoint: ["checkpoint_stall_minutes"],
  stale_claim: ["claim_stale_minutes"],
  no_completion_signal: ["completion_timeout_minutes"],
  lost_result: ["lost_result_seconds"],
  never_started: ["never_started_seconds", "never_shown_seconds"],
  never_exited: ["never_exited_seconds"],
};

/** Is there a threshold that a false alarm about it could raise? */
export const isPatient = (trouble: Trouble): boolean => PATIENCE_OF[trouble] !== undefined;

const STEP = 1.5;
const MOST = 4;

/** The settings for one agent: the given ones, and what was learned about its alarms. */
export function adaptedSettings(settings: Settings, feedback: readonly FeedbackCount[], agent: string): Settings {
  const adapted: Settings = { ...settings };
  for (const count of feedback) {
    if (count.agent !== agent) continue;
    const factor = Math.min(MOST, STEP ** Math.max(0, count.falseAlarms - count.right));
    for (const key of PATIENCE_OF[count.trouble] ?? []) {
      // Two troubles may share a key: the more patient of them holds.
      adapted[key] = Math.max(setting(adapted, key), setting(settings, key) * factor);
    }
  }
  return adapted;
}
