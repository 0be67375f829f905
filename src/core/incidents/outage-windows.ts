import type { OutageGroup } from "../policy/problems.js";
import { MINUTE } from "../text/time.js";

/** Problems that begin so close to each other can have one cause. */
export const OUTAGE_WINDOWS: Readonly<Record<OutageGroup, number>> = {
  limit: 60 * MINUTE,
  login: 15 * MINUTE,
  service: 10 * MINUTE,
  machine: 5 * MINUTE,
};
