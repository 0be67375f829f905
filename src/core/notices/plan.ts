/**
 * Which alerts are due to users, when, and on which channels: a function of the incidents, the alerts sent before, the
 * user's rules and the time. After a crash it gives the same keys.
 *
 * The subject of an alert is an incident, an outage with all its members, or several problems that started at once. It is
 * opened once, followed up when it becomes more serious or another kind of problem, and resolved once.
 */
import { awakeMs } from "../awake.js";
import { digest } from "../digest.js";
import { type Incident, type IncidentState, isOpen, silencedUntil } from "../incidents/incident.js";
import { traitsOf } from "../policy/problems.js";
import {
  type AlertEdge,
  type AlertRoute,
  type AlertRules,
  type AlertState,
  atLeast,
  type Delivery,
  type PlannedAlert,
  SEVERITIES,
  type Severity,
} from "./alert.js";
import { subjectOf as memberOf, typeOf } from "./contents.js";
import { quietUntil } from "./quiet.js";

function severityOf({ problem, escalated }: Incident): Severity {
  const { critical } = traitsOf(problem);
  return critical === "at_once" || (critical === "when_escalated" && escalated !== null) ? "critical" : "warning";
}

export interface AlertInput {
  incidentState: IncidentState;
  known: readonly AlertState[];
  rules: AlertRules;
  /** Other sources show the agent as active: its problem is not reported before it is escalated. */
  isHeld?: (incident: Incident) => boolean;
  now: number;
}

export function planAlerts(input: AlertInput): PlannedAlert[] {
  const live = input.known.filter(({ edges }) => !edges.some(({ edge }) => edge === "resolved"));
  const members = membersIn(input.incidentState);
  return [...live.flatMap((state) => followUps(input, state, members(state))), ...openings(input, live)];
}

function openings(input: AlertInput, live: readonly AlertState[]): PlannedAlert[] {
  const { incidentState, rules } = input;
  const covered = new Set(live.flatMap(({ members }) => members));
  const subjects = new Set(live.map(({ subject }) => subject));
  const over = new Set(input.known.map(({ subject }) => subject).filter((subject) => !subjects.has(subject)));
  const isNew = (incident: Incident): boolean =>
    !covered.has(memberOf(incident)) && !subjects.has(outageSubject(incident.outage));
  const owed = incidentState.incidents.filter((incident) => needsAlert(input, incident) && isNew(incident));
  // The first one that has waited long enough releases the others too.
  if (!owed.some(({ confirmedAt }) => input.now - (confirmedAt ?? input.now) >= rules.groupWaitMs)) return [];
  const outages = new Map<string, Incident[]>();
  const alone: Incident[] = [];
  for (const incident of owed) {
    // An outage whose end was sent is not opened again: later incidents are alerts of their own.
    if (incident.outage === null || over.has(outageSubject(incident.outage))) alone.push(incident);
    else outages.set(incident.outage, [...(outages.get(incident.outage) ?? []), incident]);
  }
  const grouped = alone.length > rules.groupOver ? [alone] : alone.map((incident) => [incident]);
  return [
    ...[...outages].map(([id, incidents]) => opening(input, outageSubject(id), incidents)),
    ...grouped.map((incidents) => opening(input, subjectFor(incidents), incidents)),
  ];
}

const outageSubject = (id: string | null): string => `outage:${id ?? ""}`;

function subjectFor(incidents: readonly Incident[]): string {
  const [only, second] = incidents;
  if (only && !second) return `incident:${memberOf(only)}`;
  return `group:${digest(incidents.map(memberOf).sort().join(" "))}`;
}

const opening = (input: AlertInput, subject: string, incidents: readonly Incident[]): PlannedAlert =>
  planned(input, "opened", subject, incidents, worst(incidents), []);

/** Confirmed, still seen, and neither acknowledged nor silenced. */
function needsAlert({ incidentState, rules, isHeld, now }: AlertInput, incident: Incident): boolean {
  const { confirmedAt, quietSince, ackedAt, feedback, problem, since, agent } = incident;
  if (!isOpen(incident) || confirmedAt === null || quietSince !== null) return false;
  if (ackedAt !== null || feedback === "false-alarm" || silencedUntil(incidentState, incident, now) !== null)
    return false;
  if (incident.escalated === null && isHeld?.(incident)) return false;
  return problem !== "rate_limited" || awakeMs(incidentState.asleep, since, now) >= rules.patienceMs(agent);
}

function followUps(input: AlertInput, state: AlertState, incidents: readonly Incident[]): PlannedAlert[] {
  const { incidentState, rules, now } = input;
  const open = incidents.filter(isOpen);
  const last = state.edges.at(-1);
  if (!last) return [];
  const follow = (edge: AlertEdge, severity: Severity, how = ""): PlannedAlert =>
    planned(input, edge, state.subject, incidents, severity, state.channels, how);
  if (open.length === 0) {
    // The end of a silenced problem is not sent; neither is the end of a budget period.
    const isUnheard = (one: Incident): boolean =>
      one.problem === "over_budget" || silencedUntil(incidentState, one, now) !== null;
    const silenced = incidents.length > 0 && incidents.every(isUnheard);
    const end = { ...follow("resolved", "info"), members: state.members };
    return [silenced ? { ...end, deliveries: [] } : end];
  }
  const unsilenced = open.filter(
    (incident) =>
      incident.ackedAt === null && incident.quietSince === null && silencedUntil(incidentState, incident, now) === null,
  );
  if (unsilenced.length === 0) return [];
  const isLasting = incidentState.outages.some(
    ({ id, escalatedAt }) => outageSubject(id) === state.subject && escalatedAt,
  );
  const severity = isLasting ? "critical" : worst(unsilenced);
  const highest = state.edges.map((one) => one.severity).reduce(higher);
  if (severity !== highest && atLeast(severity, highest)) return [follow("escalated", severity)];
  const kind = kindOf(unsilenced);
  if (incidents.length === 1 && !state.edges.some((one) => one.kind === kind))
    return [follow("changed", severity, kind)];
  const isNews = ({ opinion }: Incident): boolean =>
    opinion != null && opinion.message !== null && !state.edges.some(({ at }) => at >= opinion.at);
  const explained = unsilenced.find(isNews)?.opinion;
  if (explained) return [follow("diagnosis", severity, explained.id)];
  const reminded = state.edges.filter(({ edge }) => edge === "reminder").length;
  const isDue = rules.reminder.everyMs > 0 && now - last.at >= rules.reminder.everyMs;
  return isDue && reminded < rules.reminder.max ? [follow("reminder", severity, String(reminded + 1))] : [];
}

type Subject = Pick<AlertState, "subject" | "members">;

/**
 * For an outage its current members; else the incidents of the alert, if they are of the same generation. In the order of
 * the incident state. One pass serves all subjects: with a thousand open problems, one pass per subject was most of the
 * daemon's work.
 */
export function membersIn({ incidents }: Pick<IncidentState, "incidents">): (of: Subject) => Incident[] {
  const places = new Map(incidents.map((incident, place) => [memberOf(incident), place]));
  const outages = new Map<string, Incident[]>();
  for (const incident of incidents) {
    const subject = outageSubject(incident.outage);
    const known = outages.get(subject);
    if (known) known.push(incident);
    else outages.set(subject, [incident]);
  }
  return ({ subject, members }) => {
    if (subject.startsWith("outage:")) return outages.get(subject) ?? [];
    const found = members.flatMap((member) => places.get(member) ?? []).sort((a, b) => a - b);
    return found.flatMap((place) => incidents[place] ?? []);
  };
}

export const membersOf = (incidentState: Pick<IncidentState, "incidents">, of: Subject): Incident[] =>
  membersIn(incidentState)(of);

function planned(
  { rules, now }: AlertInput,
  edge: AlertEdge,
  subject: string,
  incidents: readonly Incident[],
  severity: Severity,
  before: readonly string[],
  how = "",
): PlannedAlert {
  return {
    key: digest(["alert", subject, edge, how].join(" ")),
    subject,
    edge,
    kind: kindOf(incidents),
    severity,
    at: now,
    members: incidents.map(memberOf),
    deliveries: deliveriesFor(rules, severity, incidents, before, now),
  };
}

/** Channels that got the first alert get the follow-ups; the others by their routes. */
export function deliveriesFor(
  rules: AlertRules,
  severity: Severity,
  subjects: readonly Pick<Incident, "agent" | "problem">[],
  before: readonly string[],
  now: number,
): Delivery[] {
  const takes = (route: AlertRoute): boolean =>
    before.includes(route.channel) ||
    (atLeast(severity, route.severity) && subjects.some((subject) => fits(rules, route, subject)));
  const taken = rules.routes.filter(takes);
  const fallback = rules.routes.filter(({ channel }) => channel === rules.fallback);
  return (taken.length > 0 ? taken : fallback).map(({ channel, honoursQuiet }) => ({
    channel,
    dueAt: honoursQuiet ? quietUntil(rules.quiet, severity, now) : now,
  }));
}

function fits(
  { tagsOf }: AlertRules,
  { agents, tags, problems }: AlertRoute,
  { agent, problem }: Pick<Incident, "agent" | "problem">,
): boolean {
  return (
    (agents === null || agents.includes(agent)) &&
    (problems === null || problems.includes(problem)) &&
    (tags === null || tagsOf(agent).some((tag) => tags.includes(tag)))
  );
}

const higher = (a: Severity, b: Severity): Severity => (atLeast(a, b) ? a : b);
const worst = (incidents: readonly Incident[]): Severity => incidents.map(severityOf).reduce(higher, SEVERITIES[0]);

const kindOf = (incidents: readonly Incident[]): string => {
  const [first] = incidents;
  return first ? typeOf(first.problem) : "";
};
