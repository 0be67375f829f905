/** The input of a decision. */

import type { ActionRecord } from "../action.js";
import type { SleepSpans } from "../awake.js";
import type { Incident } from "../incidents/incident.js";
import type { Assessment } from "../judgement/assess.js";
import type { ActionFacts } from "./facts.js";
import type { OutageQueue } from "./outage-queue.js";
import type { Policy } from "./policy.js";

export interface Situation {
  policy: Policy;
  /** The current assessment. */
  assessment: Assessment;
  incident: Incident;
  /** All actions of this node within the budget periods, and all of this incident. */
  history: readonly ActionRecord[];
  /** Actions on this node that lacked permission, as if they had run: see `unpermitted.ts`. */
  unpermitted?: readonly ActionRecord[];
  /** Set if the incident is part of an outage. */
  outageQueue: OutageQueue | null;
  facts: ActionFacts;
  asleep: SleepSpans;
  now: number;
}
