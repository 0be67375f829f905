/** The view of an incident: one flat record, the same for table, JSON and API. */

import { type ActionName, type OutcomeResult, resultOf } from "../../core/action.js";
import { situationOf } from "../../core/agent-decisions.js";
import { forecastOf } from "../../core/forecast.js";
import {
  type Feedback,
  type Incident,
  type IncidentState,
  isOpen,
  type Phase,
  silencedUntil,
} from "../../core/incidents/incident.js";
import { isPipelineProblem } from "../../core/incidents/pipeline.js";
import { type Problem, problemOf } from "../../core/incidents/problem.js";
import type { Assessment } from "../../core/judgement/assess.js";
import { openCommand } from "../../core/judgement/supervisor.js";
import type { NodeState } from "../../core/node-state.js";
import { decide } from "../../core/policy/decide.js";
import { manualSituation } from "../../core/policy/manual-situation.js";
import type { SessionJudge } from "../../core/session-judge.js";
import { sanitize } from "../../core/text/sanitize.js";
import { shellWord } from "../../core/text/shell-word.js";

export interface ActionView {
  at: string;
  do: ActionName;
  result: OutcomeResult | "pending";
  reason: string;
  /** Whether the expected effect was observed; null while unknown. */
  proven: boolean | null;
}

export interface IncidentView {
  id: string;
  agent: string;
  session: string;
  kind: string;
  problem: Problem;
  /** Earlier names of the same problem, oldest first. */
  earlier_problems: Problem[];
  phase: Phase;
  opened_at: string;
  /** Start of the current occurrence. */
  since: string;
  ended_at: string | null;
  level: Assessment["level"];
  confidence: number;
  /** End of a limit. */
  until: string | null;
  reasons: string[];
  /** Other incidents with the same cause. */
  outage: { id: string; group: string; shared: string; incidents: number } | null;
  acked_at: string | null;
  silenced_until: string | null;
  feedback: Feedback | null;
  reopened: number;
  policy: string | null;
  allowed: boolean;
  actions: ActionView[];
  /** The next step, when it happens if nothing changes, and why nothing is done now; null if closed. */
  next: { do: ActionName | null; at: string | null; reason: string } | null;
  /** The step that lacked only permission. */
  withheld_step: ActionName | null;
  /** What a model says about it, as `rouse diagnose` shows it; null for none. */
  opinion: { diagnosis: string; at: string; text: string } | null;
  commands: string[];
}

export interface IncidentSource {
  state: NodeState;
  now: number;
}

export function incidentView(incident: Incident, source: IncidentSource): IncidentView {
  const { state, now } = source;
  const { incidents: incidentState, rules } = state;
  const judge = state.latest.get(incident.agent) ?? null;
  const session = judge?.session ?? null;
  const allowed = session !== null && rules.isAllowed(session, incident.problem);
  const silenced = silencedUntil(incidentState, incident, now);
  const next = nextOf(incident, source);
  const canRecover = isRecoverable(incident, source);
  const canAllow = !allowed && (canRecover || next?.do != null || incident.escalated?.wouldDo != null);
  return {
    id: incident.id,
    agent: sanitize(incident.agent, 80),
    session: incident.session,
    kind: sanitize(incident.kind, 40),
    problem: incident.problem,
    earlier_problems: [...incident.chain],
    phase: incident.phase,
    opened_at: iso(incident.openedAt),
    since: iso(incident.since),
    ended_at: isoOrNull(incident.endedAt),
    level: incident.level,
    confidence: Math.round(incident.confidence * 100) / 100,
    until: isoOrNull(incident.until),
    reasons: reasonsOf(incident, judge, now).map((reason) => sanitize(reason)),
    outage: outageOf(incidentState, incident),
    acked_at: isoOrNull(incident.ackedAt),
    silenced_until: isoOrNull(silenced),
    feedback: incident.feedback,
    reopened: incident.reopened,
    policy: session === null ? null : sanitize(rules.policyOf(session).name, 80),
    allowed,
    actions: incidentState.actions
      .filter((record) => record.incident === incident.id)
      .map((record) => ({
        at: iso(record.at),
        do: record.do,
        result: resultOf(record, now),
        reason: sanitize(record.outcome?.reason ?? "", 300),
        proven: record.outcome?.proven ?? null,
      })),
    next,
    withheld_step: incident.escalated?.overBudget ? null : (incident.escalated?.wouldDo ?? null),
    opinion: opinionOf(incident),
    commands: isOpen(incident)
      ? commandsFor(incident, judge, canAllow, canRecover)
      : [`rouse feedback ${incident.id} false-alarm`],
  };
}

const opinionOf = ({ opinion }: Incident): IncidentView["opinion"] =>
  opinion ? { diagnosis: opinion.id, at: iso(opinion.at), text: sanitize(opinion.text, 1000) } : null;

/** Reasons contain ages: those of a problem that is still seen are as old as the other views show them. */
function reasonsOf(incident: Incident, judge: SessionJudge | null, now: number): readonly string[] {
  if (!isOpen(incident) || judge?.session.id !== incident.session) return incident.reasons;
  const assessment = judge.peek(now);
  return problemOf(assessment) === incident.problem ? assessment.reasons : incident.reasons;
}

export interface IncidentFilter {
  /** Include closed incidents. */
  all: boolean;
  /** Include incidents closed since then. */
  since: number | null;
  agent?: string;
}

/** Open incidents first, each group latest first. */
export function incidentViews(source: IncidentSource, { all, since, agent }: IncidentFilter): IncidentView[] {
  return source.state.incidents.incidents
    .filter((incident) => agent === undefined || incident.agent === agent)
    .filter(({ endedAt }) => endedAt === null || (since === null ? all : endedAt >= since))
    .sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.openedAt - a.openedAt)
    .map((incident) => incidentView(incident, source));
}

/**
 * Finds an incident by id, by the first characters of one, or by an agent with one open incident. Else returns an error text;
 * `agents` are the known names.
 */
export function findIncident({ incidents }: IncidentState, word: string, agents: readonly string[]): Incident | string {
  const exact = incidents.find(({ id }) => id === word);
  if (exact) return exact;
  const quoted = JSON.stringify(sanitize(word, 80));
  const begins = word.length >= PREFIX_MIN ? incidents.filter(({ id }) => id.startsWith(word)) : [];
  const [first, second] = begins;
  if (first && !second) return first;
  if (first) return `${quoted} matches ${begins.length} incidents: ${listed(begins)}`;
  const open = incidents.filter((incident) => incident.agent === word && isOpen(incident));
  if (open.length === 1 && open[0]) return open[0];
  if (open.length > 1) return `${quoted} has ${open.length} open incidents: ${listed(open)}`;
  const ended = incidents.filter(({ agent }) => agent === word).reverse();
  if (ended.length > 0) return `${quoted} has no open incident; closed incidents, latest first: ${listed(ended)}`;
  if (agents.includes(word)) return `${quoted} has no incident`;
  if (word.length < PREFIX_MIN && incidents.some(({ id }) => id.startsWith(word)))
    return `${quoted} is too short for an incident id; expected at least ${PREFIX_MIN} characters`;
  return `no incident matches ${quoted}; see \`rouse incidents --all\``;
}

const PREFIX_MIN = 3;
const listed = (found: readonly Incident[]): string =>
  found
    .slice(0, 10)
    .map(({ id, problem }) => `${id} (${problem})`)
    .join(", ");

function nextOf(incident: Incident, { state, now }: IncidentSource): IncidentView["next"] {
  if (!isOpen(incident)) return null;
  const judge = state.latest.get(incident.agent);
  const escalated = { do: null, at: null, reason: sanitize(incident.escalated?.reason ?? "", 300) };
  if (isPipelineProblem(incident.problem)) return escalated;
  if (!judge) return { do: null, at: null, reason: "the agent is not watched at present" };
  if (incident.escalated && incident.ackedAt === null) return escalated;
  const { do: name, at, reason } = forecastOf(state, incident, judge, now);
  return { do: name, at: isoOrNull(at), reason: sanitize(reason, 300) };
}

function outageOf({ outages }: IncidentState, { outage: id }: Incident): IncidentView["outage"] {
  const found = outages.find((outage) => outage.id === id);
  return found
    ? { id: found.id, group: found.group, shared: sanitize(found.shared, 80), incidents: found.members.length }
    : null;
}

/** Whether `rouse recover` would act now. */
function isRecoverable(incident: Incident, { state, now }: IncidentSource): boolean {
  const judge = state.latest.get(incident.agent);
  if (!judge) return false;
  const { action } = decide(manualSituation(situationOf(state, incident, judge, now), "plan"));
  return action !== null && action.do !== "escalate";
}

/** Only commands that can work now. */
function commandsFor(incident: Incident, judge: SessionJudge | null, canAllow: boolean, canRecover: boolean): string[] {
  const name = shellWord(incident.agent);
  const id = incident.id;
  const session = judge?.session ?? null;
  const open = judge && openCommand(judge.evidence);
  const isGone = session?.endedAt !== null || judge?.assessment.state === "gone";
  return [
    ...(open ? [sanitize(open, 200)] : session && !isGone ? [`rouse go ${name}`] : []),
    ...(session && session.hostSocket !== null && isGone ? [`rouse logs ${name}`] : []),
    ...(session ? [`rouse why ${name}`] : []),
    ...(isPipelineProblem(incident.problem) ? ["rouse diagnose"] : []),
    ...(canRecover ? [`rouse recover ${name} --dry-run`] : []),
    ...(canAllow ? [`rouse allow ${name}`] : []),
    ...(incident.ackedAt === null ? [`rouse ack ${id}`] : []),
    `rouse feedback ${id} false-alarm`,
  ];
}

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
