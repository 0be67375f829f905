/** Incidents: one continuing problem of one agent with one cause. Plain data, as it is stored and shown. */

import type { ActionName, ActionRecord } from "../action.js";
import type { SleepSpans } from "../awake.js";
import { digest } from "../digest.js";
import type { Assessment } from "../judgement/assess.js";
import type { OutageGroup } from "../policy/problems.js";
import type { Problem } from "./problem.js";

export const PHASES = [
  "open", // opened: a suspicion, or something certain
  "confirmed", // it lasted: it may be acted on
  "acting", // something was tried
  "escalated", // a human has it
  "recovered", // work was proven to go on
  "closed", // no longer seen, and nothing proven
] as const;
export type Phase = (typeof PHASES)[number];

export interface Incident {
  id: string;
  agent: string;
  session: string;
  /** The program. */
  kind: string;
  account: string | null;
  problem: Problem;
  /** What the same hang was called before, oldest first. */
  chain: Problem[];
  phase: Phase;
  openedAt: number;
  /** When its present stretch began: the opening, or the last time that it came back. */
  since: number;
  confirmedAt: number | null;
  /** `would` is what only waits for permission; `beyond`: with it, too, a budget would have stood against it by then. */
  escalated: { at: number; reason: string; wouldDo: ActionName | null; overBudget?: true } | null;
  endedAt: number | null;
  /** When the problem was last assessed. */
  seenAt: number;
  /** Since when it is not seen any more; null while it is. */
  quietSince: number | null;
  level: Assessment["level"];
  confidence: number;
  until: number | null;
  reasons: string[];
  /** Id of the outage that it is part of. */
  outage: string | null;
  ackedAt: number | null;
  feedback: Feedback | null;
  /** How often it came back after it had ended. */
  reopened: number;
  /** How often it was not seen for a moment and was there again, as when a dialog is answered and the next one opens. */
  returned?: number;
  /** Of `over_budget`: which night, and which budget. */
  budget?: string;
}

export type Feedback = "false-alarm" | "right";

/** What people said of the alarms of one agent about one problem. */
export interface FeedbackCount {
  agent: string;
  problem: Problem;
  falseAlarms: number;
  right: number;
}

/** Many agents with one cause: one alarm, no restarts, and one goes first when it is over. */
export interface Outage {
  id: string;
  group: OutageGroup;
  /** The account or program that they share. */
  shared: string;
  openedAt: number;
  /** Ids of incidents, ended ones included. */
  members: string[];
  /** A member was last proven to work on; null while none was. */
  provenAt: number | null;
  endedAt: number | null;
  /** It has lasted for as long as the policy waits: a human is needed, and whoever died is tried one after the other. */
  escalatedAt?: number | null;
}

/** Nothing is done about it until then. An agent, a problem, or one problem of one agent. */
export interface Silence {
  agent: string | null;
  problem: Problem | null;
  at: number;
  until: number;
}

/** Everything about incidents of one node. JSON in, JSON out. */
export interface IncidentState {
  incidents: Incident[];
  outages: Outage[];
  actions: ActionRecord[];
  silences: Silence[];
  feedback: FeedbackCount[];
  /** Since when an agent cannot be seen: only what lasts is told. */
  blind: { agent: string; since: number }[];
  asleep: SleepSpans;
}

export function createIncidentState(): IncidentState {
  return { incidents: [], outages: [], actions: [], silences: [], feedback: [], blind: [], asleep: [] };
}

export const isOpen = ({ endedAt }: { endedAt: number | null }): boolean => endedAt === null;

export const incidentId = (agent: string, problem: Problem, at: number): string =>
  digest(JSON.stringify([agent, problem, at]));

/** Until when nothing is done about it; null when nothing silences it. */
export function silencedUntil(
  { silences }: Pick<IncidentState, "silences">,
  { agent, problem }: Pick<Incident, "agent" | "problem">,
  now: number,
): number | null {
  const until = silences
    .filter((silence) => silence.agent === null || silence.agent === agent)
    .filter((silence) => silence.problem === null || silence.problem === problem)
    .map((silence) => silence.until)
    .filter((end) => end > now);
  return until.length > 0 ? Math.max(...until) : null;
}
