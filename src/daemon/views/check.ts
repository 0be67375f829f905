/**
 * `rouse check`: the age of each agent's last activity, in the four categories of the agent resume system's status checker.
 * Activity from its ten sources prevents a worse category: an agent that commits or runs tests must not be resumed because
 * its terminal is quiet.
 */

import type { AgentSession } from "../../core/agent.js";
import { awakeMs } from "../../core/awake.js";
import { type IncidentState, isOpen } from "../../core/incidents/incident.js";
import { isQuestion } from "../../core/incidents/problem.js";
import {
  type ActivityAssessment,
  type ActivitySignal,
  type ActivityState,
  assessActivity,
} from "../../core/judgement/activity.js";
import { guardFrom, isItsOwn } from "../../core/policy/facts.js";
import { traitsOf } from "../../core/policy/problems.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { Cause, Problem, State } from "../../core/states.js";
import { sanitize } from "../../core/text/sanitize.js";
import { HOUR } from "../../core/text/time.js";
import { lastActivityAt } from "./last-activity.js";

export const CATEGORIES = ["fresh", "warning", "critical", "auto-resume"] as const;
export type Category = (typeof CATEGORIES)[number];

export interface CheckOptions {
  warning_hours: number;
  critical_hours: number;
  auto_resume_hours: number;
  /** False: the age alone decides. */
  activityCheck: boolean;
}

/** The options for one agent, from its configuration. */
export type CheckOptionsOf = (session: AgentSession) => CheckOptions;

export interface CheckedAgent {
  name: string;
  session: string;
  kind: string;
  category: Category;
  /** The category by age alone. */
  category_by_age: Category;
  /** Why the category is not worse; null if the age decides. */
  capped_because: string | null;
  state: State;
  cause: Cause | null;
  last_activity: string;
  age_secs: number;
  activity: {
    known: boolean;
    is_active: boolean;
    confidence: number;
    sources: string[];
    last_activity: string | null;
    reasons: string[];
  } | null;
}

/** Oldest activity first, without ended sessions. */
export function checkOf(
  sessions: readonly SessionJudge[],
  now: number,
  optionsOf: CheckOptionsOf,
  stuckSince: StuckSince = () => null,
): CheckedAgent[] {
  return sessions
    .filter(({ session }) => session.endedAt === null)
    .map((judge) => checkOne(judge, now, optionsOf(judge.session), stuckSince(judge.session.name)))
    .sort((a, b) => b.age_secs - a.age_secs || (a.name < b.name ? -1 : 1));
}

function checkOne(judge: SessionJudge, now: number, options: CheckOptions, since: number | null): CheckedAgent {
  const { session, evidence, assessment } = judge;
  const lastAt = lastActivityAt(judge);
  const ageMs = awakeMs(evidence.asleep, lastAt, now);
  const byAge = categoryOf(ageMs, options);
  const found = options.activityCheck ? activitySince(judge, since, now) : null;
  const calm = options.activityCheck ? whyCalm(judge, now, found?.is_active === true) : null;
  const isHeld = calm !== null && CATEGORIES.indexOf(byAge) > CATEGORIES.indexOf(calm.most);
  return {
    name: sanitize(session.name, 80),
    session: session.id,
    kind: sanitize(session.kind, 40),
    category: isHeld ? calm.most : byAge,
    category_by_age: byAge,
    capped_because: isHeld ? calm.reason : null,
    state: assessment.state,
    cause: assessment.cause,
    last_activity: iso(lastAt),
    age_secs: Math.round(ageMs / 1000),
    activity: found && {
      known: found.known,
      is_active: found.is_active,
      confidence: Math.round(found.confidence * 100) / 100,
      sources: [...new Set(found.signals.map(({ source }) => source))],
      last_activity: found.last_activity === null ? null : iso(found.last_activity),
      reasons: found.reasons.map((reason) => sanitize(reason)),
    },
  };
}

/** From when on activity speaks against an agent's stall; null if it has none. */
export type StuckSince = (agent: string) => number | null;

export const stuckSinceIn =
  ({ incidents, actions }: Pick<IncidentState, "incidents" | "actions">): StuckSince =>
  (agent) => {
    // A loop is active by nature.
    const isStall = (problem: Problem): boolean =>
      traitsOf(problem).state === "stuck" && traitsOf(problem).provenBy === "work";
    const found = incidents.find((one) => one.agent === agent && isOpen(one) && isStall(one.problem));
    return found ? guardFrom(found, actions) : null;
  };

/** A stuck agent was active before: only what it did since then makes it active. */
export function activitySince(judge: SessionJudge, since: number | null, now: number): ActivityAssessment {
  const all = assessActivity(ownActivity(judge), now, judge.settings);
  if (since === null || !all.is_active) return all;
  // A problem begins with the silence, not when it is first seen.
  const from = Math.min(since, lastActivityAt(judge) + 1);
  const fresh = assessActivity(ownActivity(judge, from), now, judge.settings);
  if (fresh.is_active) return fresh;
  const reasons = [...all.reasons, "none since its problem began"];
  return { ...all, is_active: false, confidence: 0, validation_passed: false, reasons };
}

/**
 * Workspace changes from before the start of the agent are not its activity, and since its problem began neither are those
 * of other programs.
 */
export function ownActivity({ session, evidence }: SessionJudge, since: number | null = null): ActivityState {
  const { activity } = evidence;
  const from = Math.max(session.startedAt, since ?? 0);
  const isOwn = (signal: ActivitySignal): boolean =>
    signal.at >= from && (since === null || isItsOwn(signal, evidence));
  const own = [...activity.recent].map(([source, signals]) => [source, signals.filter(isOwn)] as const);
  return { ...activity, recent: new Map(own) };
}

function categoryOf(ageMs: number, { warning_hours, critical_hours, auto_resume_hours }: CheckOptions): Category {
  const hours = ageMs / HOUR;
  if (hours >= auto_resume_hours) return "auto-resume";
  if (hours >= critical_hours) return "critical";
  return hours >= warning_hours ? "warning" : "fresh";
}

/** Why a long silence is no reason for a worse category than `most`; null if it is one. */
function whyCalm(
  { assessment }: SessionJudge,
  now: number,
  isActive: boolean,
): { reason: string; most: Category } | null {
  const { state, until } = assessment;
  // It needs the user, and no prompt of rouse may answer it.
  if (isQuestion(assessment)) return { reason: "it is waiting for an answer", most: "critical" };
  const warning = (reason: string): { reason: string; most: Category } => ({ reason, most: "warning" });
  if (isActive) return warning("other sources show activity");
  if (state === "complete" || state === "idle") return warning(`it is ${state}: no turn is running`);
  if (state === "rate_limited" && until !== null && until > now)
    return warning(`it is rate limited until ${iso(until)}`);
  return null;
}

const iso = (ms: number): string => new Date(ms).toISOString();
