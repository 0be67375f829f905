/** The course of one incident: it begins, is seen, gets another name, is quiet, ends, and may come back. */

import { awakeMs } from "../awake.js";
import { PERIOD_MAX_MS } from "../defaults.js";
import type { Assessment } from "../judgement/assess.js";
import type { PeriodSpend } from "../judgement/period-spend.js";
import { forOutput } from "../text/for-output.js";
import { MINUTE, SECOND } from "../text/time.js";
import { type Incident, type IncidentState, incidentId, isOpen, type Phase } from "./incident.js";
import { escalateOutage, joinOutage, leaveOutage } from "./outage.js";
import { needsConfirming, type Problem } from "./problem.js";
import { type ProgressTimes, progressAt } from "./progress.js";

export interface AssessedEvent {
  kind: "assessed";
  agent: string;
  session: string;
  program: string;
  account: string | null;
  assessment: Assessment;
  progress: ProgressTimes;
  /** Of the agent's policy: how long a suspicion has to last. */
  confirmMs: number;
  /** Of the same: how long an outage lasts before a human is needed. */
  outageMs: number;
  /** A person ended the session: whatever was wrong with it is theirs. */
  endedByHuman?: boolean;
  /** Its process has ended, in whatever way. */
  isOver?: boolean;
  /** What the agent used this night; nothing where it has no budget. */
  spend?: PeriodSpend | null;
}

/** What changed, for those who tell: one entry per incident and step. */
export interface IncidentChange {
  incident: string;
  phase: Phase;
  /** It came back, or the same problem has another name now. */
  how: "new" | "again" | "renamed" | "step";
}

/** Healthy for so long with progress, and it is over. A state that flickers is not. */
const HOLD_MS: number = 30 * SECOND;
/** Not seen for so long without proof: it lapses. What was tried lately may still take effect. */
const LAPSE_MS: number = 10 * MINUTE;
/** A human who has the keyboard has the problem too. */
const HANDED_MS: number = MINUTE;

const ENDED_MAX = 500;
const REASONS_MAX = 6;
/** What is kept of a reason. */
export const REASON_CHARS = 300;
const CHAIN_MAX = 8;

export function openIncident(
  incidentState: IncidentState,
  input: AssessedEvent,
  problem: Problem,
  own: Partial<Pick<Incident, "id" | "budget">> = {},
): IncidentChange[] {
  const { agent, session, program, account, assessment } = input;
  const incident: Incident = {
    id: incidentId(agent, problem, assessment.at),
    agent,
    session,
    kind: program,
    account,
    problem,
    chain: [],
    phase: "open",
    openedAt: assessment.at,
    since: assessment.at,
    confirmedAt: null,
    escalated: null,
    endedAt: null,
    seenAt: assessment.at,
    quietSince: null,
    level: assessment.level,
    confidence: assessment.confidence,
    until: assessment.until,
    reasons: [],
    outage: null,
    ackedAt: null,
    feedback: null,
    reopened: 0,
    ...own,
  };
  incidentState.incidents.push(incident);
  forget(incidentState, assessment.at);
  return [{ incident: incident.id, phase: "open", how: "new" }, ...observeIncident(incidentState, incident, input)];
}

/** The problem is there: its words are brought up to date, and after the confirm window it is certain. */
export function observeIncident(
  incidentState: IncidentState,
  incident: Incident,
  { assessment, session, account, confirmMs, outageMs }: AssessedEvent,
): IncidentChange[] {
  const now = assessment.at;
  incident.session = session;
  incident.account = account ?? incident.account;
  incident.seenAt = now;
  if (incident.quietSince !== null) incident.returned = (incident.returned ?? 0) + 1;
  incident.quietSince = null;
  incident.level = assessment.level;
  incident.confidence = assessment.confidence;
  incident.until = assessment.until;
  incident.reasons = assessment.reasons.slice(0, REASONS_MAX).map((reason) => forOutput(reason, REASON_CHARS));
  joinOutage(incidentState, incident);
  escalateOutage(incidentState, incident, outageMs, now);
  if (incident.confirmedAt !== null || now < confirmsAt(incidentState, incident, now, confirmMs)) return [];
  incident.confirmedAt = now;
  return [advancePhase(incident, "confirmed")];
}

/** When the suspicion has lasted long enough, in awake time. */
export function confirmsAt(
  incidentState: Pick<IncidentState, "asleep">,
  incident: Incident,
  now: number,
  confirmMs: number,
): number {
  if (!needsConfirming(incident.problem)) return now;
  return now + Math.max(0, confirmMs - awakeMs(incidentState.asleep, incident.since, now));
}

export function renameIncident(incident: Incident, problem: Problem): IncidentChange[] {
  if (incident.problem === problem) return [];
  incident.chain = [...incident.chain, incident.problem].slice(-CHAIN_MAX);
  incident.problem = problem;
  return [{ incident: incident.id, phase: incident.phase, how: "renamed" }];
}

export function reopenIncident(incident: Incident, problem: Problem, at: number): IncidentChange[] {
  const renamed = renameIncident(incident, problem);
  incident.endedAt = null;
  incident.confirmedAt = null;
  incident.escalated = null;
  incident.phase = "open";
  // The confirm window counts again; the id, and all that was tried, stay.
  incident.since = at;
  incident.reopened++;
  return [...renamed, { incident: incident.id, phase: "open", how: "again" }];
}

/**
 * The problem is not there: over when work is proven to go on and stays so, lapsed when nothing is ever proven. With the
 * session it `endsNow`: who is not there any more neither hangs nor asks, and nothing can come back.
 */
export function takeQuiet(
  incidentState: IncidentState,
  incident: Incident,
  { assessment, progress }: AssessedEvent,
  endsNow: boolean,
): IncidentChange[] {
  const now = assessment.at;
  incident.quietSince ??= now;
  const quiet = awakeMs(incidentState.asleep, incident.quietSince, now);
  const tried = incidentState.actions.findLast(
    (record) => record.incident === incident.id && record.outcome?.result !== "refused",
  );
  const provenAt = progressAt(progress, incident.problem);
  const proven = provenAt !== null && provenAt > Math.max(incident.seenAt, tried?.at ?? 0);
  if (proven && (endsNow || quiet >= HOLD_MS)) return closeIncident(incidentState, incident, "recovered", now);
  const handed = assessment.state === "idle" && !tried;
  const idle = awakeMs(incidentState.asleep, Math.max(incident.quietSince, tried?.at ?? 0), now);
  if (endsNow) return closeIncident(incidentState, incident, "closed", now);
  if (!proven && idle >= (handed ? HANDED_MS : LAPSE_MS)) return closeIncident(incidentState, incident, "closed", now);
  return [];
}

export function closeIncident(
  incidentState: IncidentState,
  incident: Incident,
  phase: "recovered" | "closed",
  at: number,
): IncidentChange[] {
  incident.endedAt = at;
  const change = advancePhase(incident, phase);
  leaveOutage(incidentState, incident, at);
  return [change];
}

export function advancePhase(incident: Incident, phase: Phase): IncidentChange {
  incident.phase = phase;
  return { incident: incident.id, phase, how: "step" };
}

/** Open incidents are kept, and the latest of those that ended; actions as long as a budget or an incident may ask for them. */
function forget(incidentState: IncidentState, now: number): void {
  const ended = incidentState.incidents.filter((incident) => !isOpen(incident));
  const kept = new Set(ended.slice(-ENDED_MAX));
  incidentState.incidents = incidentState.incidents.filter((incident) => isOpen(incident) || kept.has(incident));
  const ids = new Set(incidentState.incidents.map(({ id }) => id));
  incidentState.actions = incidentState.actions.filter(
    (record) => ids.has(record.incident) || now - record.at <= PERIOD_MAX_MS,
  );
  incidentState.outages = incidentState.outages.filter(
    (outage) => isOpen(outage) || outage.members.some((id) => ids.has(id)),
  );
}
