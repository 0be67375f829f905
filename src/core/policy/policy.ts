/** A policy: the user's rules as data. One recovery plan per problem; after its last step the incident is escalated. */

import type { ActionName, NudgeText, Proof } from "../action.js";
import type { AgentSession } from "../agent.js";
import type { Problem } from "../states.js";
import { HOUR } from "../text/time.js";

export type SessionOrigin = AgentSession["origin"];

export interface StepCondition {
  /** The required level of suspicion: see `Assessment.level`. */
  level: "report" | "act";
  /** Awake time since the incident was opened. */
  afterMs: number;
  /** The sessions it applies to; null for all. A session in the user's own terminal (`run`) is never stopped. */
  origins: readonly SessionOrigin[] | null;
}

export interface RecoveryStep {
  do: Exclude<ActionName, "escalate">;
  when: StepCondition;
  /** Maximum attempts in one incident. */
  limit: number;
  /** Time to check whether it helped. */
  waitMs: number;
  proof: Proof;
  say?: NudgeText;
  command?: readonly string[];
}

/** At most `times` in any period of `periodMs`, like Erlang's restart intensity. */
export interface Budget {
  times: number;
  periodMs: number;
}

export const perHour = (times: number): Budget => ({ times, periodMs: HOUR });

export interface Budgets {
  /** Actions in one incident. */
  incident: number;
  /** Actions. */
  agent: Budget;
  node: Budget;
  /** Stops and starts, which also count as actions. */
  agentRestarts: Budget;
  nodeRestarts: Budget;
}

export interface LimitRules {
  /** After the printed reset: most limits end on time, some were observed to last 10 to 20 minutes longer. */
  marginMs: number;
  /** Spread over agents by a hash of the name. */
  jitterMs: number;
  /** Unknown reset time: the first wait, doubled each time up to the maximum. */
  backoffMs: number;
  backoffMaxMs: number;
  /** Extra time for a program that continues by itself. */
  ownResumeMs: number;
}

export interface Policy {
  name: string;
  /** One sentence for users. */
  description: string;
  confirmMs: number;
  /** A problem whose next step lacks evidence this long after its detection is escalated. */
  patienceMs: number;
  /** An outage of this duration is escalated, and agents that died in it are restarted one at a time. */
  outageMs: number;
  /** An escalated incident of this duration gets one last nudge, if its plan has one: see `auto-resume.ts`. */
  autoResumeMs: number;
  limits: LimitRules;
  budgets: Budgets;
  plans: Readonly<Partial<Record<Problem, readonly RecoveryStep[]>>>;
}
