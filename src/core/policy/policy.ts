/** A policy: the user's rules as data. One recovery plan per problem, walked from its first step; at its end is a human. */

import type { ActionName, NudgeText, Proof } from "../action.js";
import type { AgentSession } from "../agent.js";
import type { Problem } from "../states.js";
import { HOUR } from "../text/time.js";

export type SessionOrigin = AgentSession["origin"];

export interface StepCondition {
  /** Which suspicion is enough: see `Assessment.level`. */
  level: "report" | "act";
  /** Awake time since the incident was opened. */
  afterMs: number;
  /** Which sessions it is for; null for all. A human's own terminal (`run`) is never stopped, whatever stands here. */
  origins: readonly SessionOrigin[] | null;
}

export interface RecoveryStep {
  do: Exclude<ActionName, "escalate">;
  when: StepCondition;
  /** At most so many times in one incident, whatever happens between. */
  limit: number;
  /** Then look for so long whether it helped. */
  waitMs: number;
  proof: Proof;
  say?: NudgeText;
  command?: readonly string[];
}

/** At most `times` in any stretch of `periodMs`, as Erlang's restart intensity. */
export interface Budget {
  times: number;
  periodMs: number;
}

export const perHour = (times: number): Budget => ({ times, periodMs: HOUR });

export interface Budgets {
  /** Touches in one incident, however long it lasts. */
  incident: number;
  /** Touches. */
  agent: Budget;
  node: Budget;
  /** Stops and starts, which are touches too. */
  agentRestarts: Budget;
  nodeRestarts: Budget;
}

export interface LimitRules {
  /** After the printed reset: limits were seen to hold 10 to 20 minutes longer, most end at once. */
  marginMs: number;
  /** Spread over agents by a hash of their names. */
  jitterMs: number;
  /** A reset time that is not known: first wait, doubled each time, up to the longest. */
  backoffMs: number;
  backoffMaxMs: number;
  /** A program that continues by itself goes first and has so long. */
  ownResumeMs: number;
}

export interface Policy {
  name: string;
  /** One sentence for people. */
  says: string;
  confirmMs: number;
  /** What cannot be acted on for so long, for want of evidence, goes to a human. */
  patienceMs: number;
  /** An outage that lasts for so long goes to a human, and whoever died in it is started again one after the other. */
  outageMs: number;
  limits: LimitRules;
  budgets: Budgets;
  plans: Readonly<Partial<Record<Problem, readonly RecoveryStep[]>>>;
}
