/** The lifecycle of an incident: opened, observed, renamed, quiet, ended, reopened. */

import { awakeMs } from "../awake.js";
import { PERIOD_MAX_MS } from "../defaults.js";
import type { Assessment } from "../judgement/assess.js";
import type { PeriodSpend } from "../judgement/period-spend.js";
import { traitsOf } from "../policy/problems.js";
import type { State } from "../states.js";
import { forOutput } from "../text/for-output.js";
import { MINUTE, SECOND } from "../text/time.js";
import { type Incident, type IncidentEnd, type IncidentState, incidentId, isOpen, type Phase } from "./incident.js";
import { escalateOutage, joinOutage, leaveOutage } from "./outage.js";
import { needsConfirming, type Problem } from "./problem.js";
import { isProven, type ProgressTimes, progressAt } from "./progress.js";

export interface AssessedEvent {
  kind: "assessed";
  agent: string;
  session: string;
  program: string;
  account: string | null;
  /** rouse only watches it. */
  isAdopted?: boolean;
  assessment: Assessment;
  /** Its last activity; null if there was none. */
  activeAt?: number | null;
  progress: ProgressTimes;
  /** From the agent's policy: how long a suspicion must last. */
  confirmMs: number;
  /** From the policy: how long an outage lasts before it is escalated. */
  outageMs: number;
  /** A user ended the session, so its problems need no action. */
  endedByHuman?: boolean;
  /** Its process has ended. */
  isOver?: boolean;
  /** The agent's usage in this budget period; missing without a budget. */
  spend?: PeriodSpend | null;
}

/** Changes for notices: one entry per incident and step. */
export interface IncidentChange {
  incident: string;
  phase: Phase;
  /** It was reopened, or the problem has another name now. */
  change: "opened" | "reopened" | "problem_changed" | "phase_changed";
}

/** Healthy with progress for this long means recovered; a flickering state does not count. */
const HOLD_MS: number = 30 * SECOND;
/** Not seen for this long without proof means closed; a recent action may still take effect. */
const LAPSE_MS: number = 10 * MINUTE;
/** A user at the keyboard handles the problem. */
const HANDED_MS: number = MINUTE;

const ENDED_MAX = 500;
const REASONS_MAX = 6;
/** Stored length of a reason. */
export const REASON_CHARS = 300;
const CHAIN_MAX = 8;
/** Stored ends and withheld steps of one incident. */
export const HISTORY_MAX = 20;

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
    phase: "suspected",
    openedAt: assessment.at,
    since: assessment.at,
    stalledAt: Math.min(input.activeAt ?? assessment.at, assessment.at),
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
  return [
    { incident: incident.id, phase: "suspected", change: "opened" },
    ...observeIncident(incidentState, incident, input),
  ];
}

/** The problem is seen: updates the incident, and confirms it after the confirm window. */
export function observeIncident(
  incidentState: IncidentState,
  incident: Incident,
  { assessment, session, account, isAdopted, confirmMs, outageMs }: AssessedEvent,
): IncidentChange[] {
  const now = assessment.at;
  incident.session = session;
  if (isAdopted !== incident.isAdopted) incident.isAdopted = isAdopted === true;
  incident.account = account ?? incident.account;
  incident.seenAt = now;
  if (incident.quietSince !== null) incident.returned = (incident.returned ?? 0) + 1;
  incident.quietSince = null;
  incident.level = assessment.level;
  incident.confidence = assessment.confidence;
  incident.until = assessment.until;
  if (assessment.supervisor) incident.heldUntil = assessment.supervisor.until;
  else delete incident.heldUntil;
  incident.reasons = assessment.reasons.slice(0, REASONS_MAX).map((reason) => forOutput(reason, REASON_CHARS));
  joinOutage(incidentState, incident);
  escalateOutage(incidentState, incident, outageMs, now);
  if (incident.confirmedAt !== null || now < confirmsAt(incidentState, incident, now, confirmMs)) return [];
  incident.confirmedAt = now;
  return [advancePhase(incident, "confirmed")];
}

/** When the suspicion is confirmed, in awake time. */
export function confirmsAt(
  incidentState: Pick<IncidentState, "asleep">,
  incident: Incident,
  now: number,
  confirmMs: number,
): number {
  const earliest = Math.max(now, incident.heldUntil ?? now);
  if (!needsConfirming(incident.problem)) return earliest;
  return Math.max(earliest, now + confirmMs - awakeMs(incidentState.asleep, incident.since, now));
}

export function renameIncident(incident: Incident, problem: Problem): IncidentChange[] {
  if (incident.problem === problem) return [];
  incident.chain = [...incident.chain, incident.problem].slice(-CHAIN_MAX);
  incident.problem = problem;
  return [{ incident: incident.id, phase: incident.phase, change: "problem_changed" }];
}

export function reopenIncident(
  incident: Incident,
  problem: Problem,
  { assessment: { at }, activeAt }: Pick<AssessedEvent, "assessment" | "activeAt">,
): IncidentChange[] {
  const renamed = renameIncident(incident, problem);
  incident.endedAt = null;
  incident.confirmedAt = null;
  incident.escalated = null;
  incident.phase = "suspected";
  // The confirm window starts again; the id and the actions stay.
  incident.since = at;
  incident.stalledAt = Math.min(activeAt ?? at, at);
  incident.reopened++;
  return [...renamed, { incident: incident.id, phase: "suspected", change: "reopened" }];
}

/**
 * The problem is not seen: recovered after lasting, proven work, closed without proof. `endsNow`: the session has ended, so
 * it can neither hang nor ask.
 */
export function takeQuiet(
  incidentState: IncidentState,
  incident: Incident,
  input: AssessedEvent,
  endsNow: boolean,
): IncidentChange[] {
  const { assessment, progress } = input;
  const now = assessment.at;
  incident.quietSince ??= now;
  const quiet = awakeMs(incidentState.asleep, incident.quietSince, now);
  const tried = incidentState.actions.findLast(
    (record) => record.incident === incident.id && record.outcome?.result !== "refused",
  );
  const proven = isProven(progress, incident.problem, incident.seenAt, tried);
  if (proven && (endsNow || quiet >= HOLD_MS)) {
    const provenAt = progressAt(progress, incident.problem) ?? now;
    return closeIncident(incidentState, incident, "recovered", now, { at: provenAt, turnAt: progress.turnAt });
  }
  if (isReplaced(incident, input) && !tried && quiet >= HOLD_MS)
    return closeIncident(incidentState, incident, "closed", now);
  const handed = assessment.state === "idle" && !tried;
  const idle = awakeMs(incidentState.asleep, Math.max(incident.quietSince, tried?.at ?? 0), now);
  if (endsNow) return closeIncident(incidentState, incident, "closed", now);
  // The agent does nothing because rouse interrupted it, or the last action did not work: only new work or a user ends this.
  if (assessment.state === "idle" && tried && (tried.do === "interrupt" || tried.outcome?.proven === false)) return [];
  if (!proven && idle >= (handed ? HANDED_MS : LAPSE_MS)) return closeIncident(incidentState, incident, "closed", now);
  return [];
}

/** The process ended, and the next one works: started by its user, so that no progress has to be proven. */
const isReplaced = ({ problem, session }: Incident, { session: next, assessment }: AssessedEvent): boolean =>
  traitsOf(problem).state === "gone" && session !== next && hasTurn(assessment);

/** A turn runs or ran. */
export const hasTurn = ({ state }: Pick<Assessment, "state">): boolean => TURN_STATES.has(state);
const TURN_STATES: ReadonlySet<State> = new Set<State>(["working", "waiting", "needs_input", "complete"]);

export function closeIncident(
  incidentState: IncidentState,
  incident: Incident,
  phase: "recovered" | "closed",
  at: number,
  proof: Omit<IncidentEnd, "phase"> = { at, turnAt: null },
): IncidentChange[] {
  incident.endedAt = at;
  incident.ends = [...(incident.ends ?? []), { ...proof, phase }].slice(-HISTORY_MAX);
  const change = advancePhase(incident, phase);
  leaveOutage(incidentState, incident, at);
  return [change];
}

export function advancePhase(incident: Incident, phase: Phase): IncidentChange {
  incident.phase = phase;
  return { incident: incident.id, phase, change: "phase_changed" };
}

/** Keeps open incidents and the latest ended ones, and actions as long as a budget or an incident needs them. */
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
