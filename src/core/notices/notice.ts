/** The words of an alert, for a phone: who, what, why, since when, what rouse did, what you can do. */

import { type Incident, type IncidentState, isOpen, type Outage } from "../incidents/incident.js";
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
  /** A moment as the reader's clock shows it. */
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
    title: forOutput(`Watchdog: ${edge === "reminder" ? "still: " : ""}${said.title}`, TITLE_MAX),
    lines: said.lines.filter((line) => line !== ""),
    agents: [...new Set(incidents.map(({ agent }) => forOutput(agent, 80)))],
    incidents: incidents.map(({ id }) => id),
  };
}

interface NoticeText {
  title: string;
  lines: string[];
}

function ofOne(incident: Incident, edge: AlertEdge, source: NoticeSource): NoticeText {
  const { incidentState, clock, now } = source;
  const view = source.seen(incident.agent);
  const name = forOutput(incident.agent, 80);
  const task = view?.session.task ? `, task ${forOutput(view.session.task, 100)}` : "";
  const who = `${name} (${forOutput(incident.kind, 40)}${task})`;
  const done = doneOf(incidentState, incident, now);
  const did = done.length > 0 ? `rouse did: ${done.join(", ")}` : "";
  if (edge === "resolved") {
    const { endedAt, since, phase } = incident;
    const lasted = endedAt === null ? "" : `it lasted ${formatDuration(endedAt - since)}, since ${clock(since)}`;
    const how = phase === "recovered" ? " works again" : ": it is over, the problem is no longer seen";
    return {
      title: `${name}${how}`,
      lines: [who, `told before: ${name} ${traitsOf(incident.problem).wording}`, lasted, did],
    };
  }
  const until = incident.until === null ? "" : `until ${clock(incident.until)}`;
  const asked = questionOf(incident, view);
  const needs = incident.escalated?.reason.split(NEEDS_HUMAN).at(-1) ?? "";
  return {
    title: `${name} ${traitsOf(incident.problem).wording}`,
    lines: [
      who,
      asked === "" ? "" : `it asks: ${forOutput(asked, 400)}`,
      `why: ${forOutput(withoutQuestion(incident.reasons[0] ?? incident.problem, asked))}`,
      `since ${clock(incident.since)} (${formatDuration(now - incident.since)})`,
      until,
      did || (needs === "" ? "rouse has not touched it" : `rouse left it alone: ${forOutput(needs)}`),
      did === "" || needs === "" ? "" : `it needs you: ${forOutput(needs)}`,
      canOf(incident, view),
    ],
  };
}

/** As `decide` says it; the words before it name the problem once more. */
const NEEDS_HUMAN = ": a human is needed: ";
/** So much of a question is known again in a reason that quotes it. */
const KNOWN_AGAIN = 40;

/** A reason often ends with the question, which stands in the line above already. */
function withoutQuestion(reason: string, asked: string): string {
  const at = asked === "" ? -1 : reason.indexOf(`: ${asked.slice(0, KNOWN_AGAIN)}`);
  return at > 0 ? reason.slice(0, at) : reason;
}

/** The question or the command, word for word. */
function questionOf({ problem }: Incident, view: AgentSnapshot | null): string {
  if (problem !== "needs_input" || !view) return "";
  const { prompts, report, message } = view.evidence;
  const asked = openPrompt(prompts)?.question || (report?.state === "needs_input" && report.text) || message?.preview;
  return asked || "";
}

/** A name that a shell would take for more than a word, or a phone for a host, is not put into a command; its session always can be. */
const wordOf = ({ agent, session }: Incident): string =>
  agent.length <= 80 && /^[\w-]+(?:\.\d[\w-]*)*$/.test(agent) ? agent : session;

/** As `rouse incidents` shows it. */
const ID_CHARS = 8;

function canOf(incident: Incident, view: AgentSnapshot | null): string {
  const name = wordOf(incident);
  const isHeld = Boolean(view?.session.hostSocket) && view?.session.endedAt === null;
  const verb = incident.problem === "needs_input" ? "answer it" : "go to it";
  return `you can: ${[
    ...(isHeld ? [`${verb} (rouse attach ${name})`] : []),
    `see why (rouse why ${name})`,
    `take it (rouse ack ${incident.id.slice(0, ID_CHARS)})`,
  ].join(" · ")}`;
}

const SHARED_WORDS: Readonly<Record<Outage["group"], string>> = {
  limit: "are stopped by one limit",
  service: "cannot use one service",
  login: "share a login or an account that fails",
  machine: "failed together on this machine",
};

const LASTS: Readonly<Record<Outage["group"], string>> = {
  limit: "",
  service: "it lasts: one of them is asked every five minutes, nobody is ended or started",
  login: "it lasts, and only you can mend it",
  machine: "it lasts: where rouse may, they are started again one after the other",
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
    const how = isOpen(incident) ? traitsOf(incident.problem).wording : "over";
    return `${forOutput(incident.agent, 60)}: ${how}`;
  });
  const more = incidents.length - listed.length;
  const title = edge === "resolved" ? `${agents} agents: it is over` : `${agents} agents ${what}`;
  return {
    title,
    lines: [
      ...listed,
      more > 0 ? `and ${more} more` : "",
      `since ${clock(since)} (${formatDuration(now - since)})`,
      edge !== "resolved" && outage?.escalatedAt ? LASTS[outage.group] : "",
      edge === "resolved" || open.length === incidents.length
        ? ""
        : `${incidents.length - open.length} of them are over`,
      edge === "resolved" ? "" : "you can: see all of them (rouse incidents)",
    ],
  };
}
