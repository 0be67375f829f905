/** Everything that a decision is made from. */

import type { ActionRecord } from "../action.js";
import type { SleepSpans } from "../awake.js";
import type { Incident } from "../incidents/incident.js";
import type { Assessment } from "../judgement/assess.js";
import type { ActionFacts } from "./facts.js";
import type { OutageQueue } from "./outage-queue.js";
import type { Policy } from "./policy.js";

export interface Situation {
  policy: Policy;
  /** Of this moment. */
  assessment: Assessment;
  incident: Incident;
  /** Every action of this node that a budget may ask for, and all of this incident. */
  history: readonly ActionRecord[];
  /** What would have been done on this node where it was not permitted, as if it had been: see `not permitted.ts`. */
  unpermitted?: readonly ActionRecord[];
  /** Where the incident is part of an outage. */
  outageQueue: OutageQueue | null;
  facts: ActionFacts;
  asleep: SleepSpans;
  now: number;
}
