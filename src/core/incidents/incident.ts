/** An incident: one continuing problem of one agent with one cause. Plain data, as stored and shown. */

import type { ActionName, ActionRecord } from "../action.js";
import type { SleepSpans } from "../awake.js";
import { digest } from "../digest.js";
import type { Assessment } from "../judgement/assess.js";
import type { OutageGroup } from "../policy/problems.js";
import type { Problem } from "./problem.js";

export const PHASES = [
  "suspected", // not confirmed yet
  "confirmed", // certain: actions are possible
  "acting", // an action was taken
  "escalated", // needs the user
  "recovered", // proven to work again
  "closed", // no longer seen, without proof
] as const;
export type Phase = (typeof PHASES)[number];

export interface Incident {
  id: string;
  agent: string;
  session: string;
  /** The program. */
  kind: string;
  account: string | null;
  /** rouse did not start the agent. */
  isAdopted?: boolean;
  problem: Problem;
  /** Earlier names of the same problem, oldest first. */
  chain: Problem[];
  phase: Phase;
  openedAt: number;
  /** When it was opened or last reopened. */
  since: number;
  /** The last activity before that; missing in incidents of older versions. */
  stalledAt?: number;
  confirmedAt: number | null;
  /** The program's own supervisor acts first: not confirmed before. */
  heldUntil?: number;
  /** `wouldDo`: the action that lacked only permission; `overBudget`: a budget would have been used up by then. */
  escalated: { at: number; reason: string; wouldDo: ActionName | null; overBudget?: true } | null;
  endedAt: number | null;
  /** Every end, oldest first: a reopened incident has several. */
  ends?: IncidentEnd[];
  /** Every step that lacked only permission, oldest first. */
  withheld?: { at: number; do: ActionName; problem: Problem }[];
  /** When the problem was last assessed. */
  seenAt: number;
  /** Since when it is no longer seen; null while it is. */
  quietSince: number | null;
  level: Assessment["level"];
  confidence: number;
  until: number | null;
  reasons: string[];
  /** Id of the outage that it is part of. */
  outage: string | null;
  ackedAt: number | null;
  feedback: Feedback | null;
  /** How often it was reopened. */
  reopened: number;
  /** How often it was briefly not seen, for example between two dialogs. */
  returned?: number;
  /** What a model says about it. */
  opinion?: Opinion;
  /** For `over_budget`: the night and the budget. */
  budget?: string;
}

/** An explanation by a model: advice, which changes nothing else about the incident. */
export interface Opinion {
  /** Id of the diagnosis. */
  id: string;
  at: number;
  text: string;
  /** For the user: follows as an update of the alert; null for none. */
  message: string | null;
}

export interface IncidentEnd {
  /** Of a recovery: the time of the work that proves it. */
  at: number;
  phase: "recovered" | "closed";
  /** Start of the turn in which the model last wrote; null if unknown. */
  turnAt: number | null;
}

export type Feedback = "false-alarm" | "right";

/** A stall that rouse did not report. */
export interface MissedStall {
  agent: string;
  at: number;
  /** Null: unknown. */
  problem: Problem | null;
}

/** User feedback on the alarms of one agent about one problem. */
export interface FeedbackCount {
  agent: string;
  problem: Problem;
  falseAlarms: number;
  right: number;
}

/** Several agents with one cause: one alert, no restarts, and one agent is tried first. */
export interface Outage {
  id: string;
  group: OutageGroup;
  /** The account or program that they share. */
  shared: string;
  openedAt: number;
  /** Ids of incidents, ended ones included. */
  members: string[];
  /** When a member was last proven to work; null if never. */
  provenAt: number | null;
  endedAt: number | null;
  /** It lasted for the policy's outage time: it is escalated, and dead agents are restarted one at a time. */
  escalatedAt?: number | null;
}

/** No action until then: for an agent, a problem, or one problem of one agent. */
export interface Silence {
  agent: string | null;
  problem: Problem | null;
  at: number;
  until: number;
}

/** All incident data of one node. Serializable as JSON. */
export interface IncidentState {
  incidents: Incident[];
  outages: Outage[];
  actions: ActionRecord[];
  silences: Silence[];
  feedback: FeedbackCount[];
  missed: MissedStall[];
  /** Since when an agent is unobserved; reported only if it lasts. */
  blind: { agent: string; since: number }[];
  asleep: SleepSpans;
}

export function createIncidentState(): IncidentState {
  return { incidents: [], outages: [], actions: [], silences: [], feedback: [], missed: [], blind: [], asleep: [] };
}

export const isOpen = ({ endedAt }: { endedAt: number | null }): boolean => endedAt === null;

export const incidentId = (agent: string, problem: Problem, at: number): string =>
  digest(JSON.stringify([agent, problem, at]));

/** Whether rouse has nothing left to try for the agent, and no user has taken note of it. */
export const awaitsUser = (state: IncidentState, agent: string, now: number): boolean =>
  state.incidents.some(
    (one) =>
      one.agent === agent &&
      one.phase === "escalated" &&
      one.ackedAt === null &&
      one.feedback !== "false-alarm" &&
      silencedUntil(state, one, now) === null,
  );

/** Until when it is silenced; null if it is not. */
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
