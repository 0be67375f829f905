/** The text of an alert, short enough for a phone: agent, problem, reason, start, actions, suggested commands. */

import { type Incident, type IncidentState, isOpen, type Outage } from "../incidents/incident.js";
import { isPipelineProblem } from "../incidents/pipeline.js";
import { openPrompt } from "../judgement/evidence/prompts.js";
import { traitsOf } from "../policy/problems.js";
import { formatDuration } from "../text/duration.js";
import { forOutput } from "../text/for-output.js";
import type { AlertEdge, Notice, PlannedAlert } from "./alert.js";
import { type AgentSnapshot, doneOf } from "./contents.js";
import { membersOf } from "./plan.js";

export interface NoticeSource {
  incidentState: IncidentState;
  seen: (agent: string) => AgentSnapshot | null;
  /** A time of day in the reader's zone. */
  clock: (at: number) => string;
  now: number;
}

const LISTED_MAX = 10;
const TITLE_MAX = 140;

export function noticeOf(planned: PlannedAlert, source: NoticeSource): Notice {
  const { key, subject, edge, severity, at } = planned;
  const incidents = membersOf(source.incidentState, planned);
  const outage = source.incidentState.outages.find(({ id }) => subject === `outage:${id}`) ?? null;
  const [only, second] = incidents;
  const said = only && !second && !outage ? ofOne(only, edge, source) : ofMany(incidents, outage, edge, source);
  return {
    key,
    subject,
    kind: "watchdog",
    edge,
    severity,
    at,
    title: forOutput(`Watchdog: ${PREFIXES[edge] ?? ""}${said.title}`, TITLE_MAX),
    lines: said.lines.filter((line) => line !== ""),
    agents: [...new Set(incidents.map(({ agent }) => forOutput(agent, 80)))],
    incidents: incidents.map(({ id }) => id),
  };
}

const PREFIXES: Readonly<Partial<Record<AlertEdge, string>>> = { reminder: "reminder: ", diagnosis: "explanation: " };

interface NoticeText {
  title: string;
  lines: string[];
}

function ofOne(incident: Incident, edge: AlertEdge, source: NoticeSource): NoticeText {
  const { incidentState, clock, now } = source;
  const view = source.seen(incident.agent);
  const name = forOutput(incident.agent, 80);
  const task = view?.session.task ? `, task ${forOutput(view.session.task, 100)}` : "";
  const isAgent = !isPipelineProblem(incident.problem);
  const who = isAgent ? `${name} (${forOutput(incident.kind, 40)}${task})` : "";
  const subject = isAgent ? `agent ${name}` : name;
  const done = doneOf(incidentState, incident, now);
  const did = done.length > 0 ? `actions taken: ${done.join(", ")}` : "";
  if (edge === "resolved") {
    const { endedAt, since, phase } = incident;
    const lasted = endedAt === null ? "" : `duration: ${formatDuration(endedAt - since)}, since ${clock(since)}`;
    const how = phase === "recovered" ? " recovered" : ": resolved, the problem is no longer seen";
    return {
      title: `${subject}${how}`,
      lines: [who, `previously: ${subject} ${traitsOf(incident.problem).wording}`, lasted, did],
    };
  }
  const until = incident.until === null ? "" : `until ${clock(incident.until)}`;
  const asked = questionOf(incident, view);
  const { wording } = traitsOf(incident.problem);
  const needs = incident.escalated?.reason.split(NEEDS_HUMAN).at(-1) ?? "";
  return {
    title: `${subject} ${edge === "escalated" ? `needs you (${wording.replace(/^is /, "")})` : wording}`,
    lines: [
      who,
      asked === "" ? "" : `question: ${forOutput(asked, 400)}`,
      `why: ${forOutput(withoutQuestion(incident.reasons[0] ?? incident.problem, asked))}`,
      `since ${clock(incident.since)} (${formatDuration(now - incident.since)})`,
      until,
      did || (needs === "" ? "rouse has taken no action" : ""),
      needs === "" ? "" : `needs you: ${forOutput(needs)}`,
      ...(needs === "" ? [] : detailsOf(incidentState, incident).map((line) => forOutput(line))),
      opinionOf(incident),
      canOf(incident, view),
    ],
  };
}

const opinionOf = ({ opinion }: Incident): string =>
  opinion == null || opinion.message === null ? "" : `a model's opinion: ${opinion.message}`;

/** A failed task brings its whole history: one line per session. */
const detailsOf = ({ actions }: IncidentState, { id }: Incident): readonly string[] =>
  actions.findLast((record) => record.incident === id && record.outcome?.details)?.outcome?.details ?? [];

/** As in the reasons of `decide`. */
const NEEDS_HUMAN = "needs you: ";
/** Characters of a question by which it is found in a reason that quotes it. */
const KNOWN_AGAIN = 40;

/** A reason often ends with the question, which is already in the line above. */
function withoutQuestion(reason: string, asked: string): string {
  const at = asked === "" ? -1 : reason.indexOf(`: ${asked.slice(0, KNOWN_AGAIN)}`);
  return at > 0 ? reason.slice(0, at) : reason;
}

/** The question or the command, verbatim. */
function questionOf({ problem }: Incident, view: AgentSnapshot | null): string {
  if (problem !== "needs_input" || !view) return "";
  const { prompts, report, message } = view.evidence;
  const asked = openPrompt(prompts)?.question || (report?.state === "needs_input" && report.text) || message?.preview;
  return asked || "";
}

/** A name that a shell would split, or a phone would turn into a link, is replaced by the session id. */
const wordOf = ({ agent, session }: Incident): string =>
  agent.length <= 80 && /^[\w-]+(?:\.\d[\w-]*)*$/.test(agent) ? agent : session;

/** As `rouse incidents` shows it. */
const ID_CHARS = 8;

function canOf(incident: Incident, view: AgentSnapshot | null): string {
  const ack = `acknowledge it (rouse ack ${incident.id.slice(0, ID_CHARS)})`;
  if (isPipelineProblem(incident.problem)) return `you can: ask a model why (rouse diagnose) · ${ack}`;
  const name = wordOf(incident);
  const isRunning = view?.session.endedAt === null;
  const verb = incident.problem === "needs_input" ? "answer it" : "open it";
  return `you can: ${[...(isRunning ? [`${verb} (rouse go ${name})`] : []), `see why (rouse why ${name})`, ack].join(
    " · ",
  )}`;
}

const SHARED_WORDS: Readonly<Record<Outage["group"], string>> = {
  limit: "have hit the same usage limit",
  service: "cannot use the same service",
  login: "share a failing login or account",
  machine: "failed together on this machine",
};

const LASTS: Readonly<Record<Outage["group"], string>> = {
  limit: "",
  service: "the outage continues: rouse tries one agent every 5 minutes and stops or starts none",
  login: "the outage continues, and only you can fix it",
  machine: "the outage continues: if permitted, the agents are restarted one at a time",
};

function ofMany(
  incidents: readonly Incident[],
  outage: Outage | null,
  edge: AlertEdge,
  source: NoticeSource,
): NoticeText {
  const { clock, now } = source;
  const agents = new Set(incidents.map(({ agent }) => agent)).size;
  const what = outage ? `${SHARED_WORDS[outage.group]} (${forOutput(outage.shared, 60)})` : "need attention";
  const open = incidents.filter(isOpen);
  const since = Math.min(...incidents.map((incident) => incident.since), now);
  const listed = incidents.slice(0, LISTED_MAX).map((incident) => {
    const how = isOpen(incident) ? traitsOf(incident.problem).wording : "resolved";
    return `${forOutput(incident.agent, 60)}: ${how}`;
  });
  const more = incidents.length - listed.length;
  const title = edge === "resolved" ? `${agents} agents: resolved` : `${agents} agents ${what}`;
  return {
    title,
    lines: [
      ...listed,
      more > 0 ? `and ${more} more` : "",
      `since ${clock(since)} (${formatDuration(now - since)})`,
      edge !== "resolved" && outage?.escalatedAt ? LASTS[outage.group] : "",
      edge === "resolved" || open.length === incidents.length
        ? ""
        : `${incidents.length - open.length} of them are resolved`,
      ...(edge === "resolved" ? [] : open.map(opinionOf)),
      edge === "resolved" ? "" : "you can: list all of them (rouse incidents)",
    ],
  };
}
