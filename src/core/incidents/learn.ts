/**
 * What people say of alarms makes one agent's thresholds more patient: by half with every false alarm, never more than
 * four times, and back again with every alarm that was right. Never below what the user set.
 */
import { type Settings, settingOf } from "../defaults.js";
import { traitsOf } from "../policy/problems.js";
import type { FeedbackCount } from "./incident.js";
import type { Problem } from "./problem.js";

/** Is there a threshold that a false alarm about it could raise? */
export const isPatient = (problem: Problem): boolean => traitsOf(problem).patience.length > 0;

const STEP = 1.5;
const MOST = 4;

/** The settings for one agent: the given ones, and what was learned about its alarms. */
export function adaptedSettings(settings: Settings, feedback: readonly FeedbackCount[], agent: string): Settings {
  const adapted: Settings = { ...settings };
  for (const count of feedback) {
    if (count.agent !== agent) continue;
    const factor = Math.min(MOST, STEP ** Math.max(0, count.falseAlarms - count.right));
    for (const key of traitsOf(count.problem).patience) {
      // Two problems may share a key: the more patient of them holds.
      adapted[key] = Math.max(settingOf(adapted, key), settingOf(settings, key) * factor);
    }
  }
  return adapted;
}
