/**
 * Feedback on alarms raises one agent's thresholds: by half with every false alarm, at most four times, and back with every
 * correct alarm. Never below the user's setting.
 */
import { type Settings, settingOf } from "../defaults.js";
import { traitsOf } from "../policy/problems.js";
import type { FeedbackCount } from "./incident.js";
import type { Problem } from "./problem.js";

/** Whether a false alarm about the problem can raise a threshold. */
export const isPatient = (problem: Problem): boolean => traitsOf(problem).patience.length > 0;

const STEP = 1.5;
const MOST = 4;

/** The settings for one agent, with the thresholds learned from its alarms. */
export function adaptedSettings(settings: Settings, feedback: readonly FeedbackCount[], agent: string): Settings {
  const adapted: Settings = { ...settings };
  for (const count of feedback) {
    if (count.agent !== agent) continue;
    const factor = Math.min(MOST, STEP ** Math.max(0, count.falseAlarms - count.right));
    for (const key of traitsOf(count.problem).patience) {
      // Two problems may share a key: the larger value applies.
      adapted[key] = Math.max(settingOf(adapted, key), settingOf(settings, key) * factor);
    }
  }
  return adapted;
}
