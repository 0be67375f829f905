/** Incidents as text: actions taken, the next step and its time, or why there is none. */
import { localZone } from "../../config/local-zone.js";
import type { ActionName } from "../../core/action.js";
import { isPatient } from "../../core/incidents/learn.js";
import { isPipelineProblem } from "../../core/incidents/pipeline.js";
import { traitsOf } from "../../core/policy/problems.js";
import { clockTime, formatDistance, resetText } from "../../core/text/when.js";
import type { ActionView, IncidentView } from "../../daemon/views/incident-view.js";
import { isColoured, paintText } from "./paint.js";
import { type Column, tableText } from "./table.js";
import { columnsOf, foldLine } from "./width.js";

export interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

const DONE: Readonly<Record<ActionName, string>> = {
  nudge: "nudged",
  interrupt: "interrupted",
  end_child: "ended its command",
  stop: "stopped",
  resume: "resumed",
  restart: "restarted",
  continue: "continued in a new session",
  release: "released its claims",
  block: "blocked its task",
  run: "ran your command",
  escalate: "open",
};

export const doneText = (name: ActionName): string => DONE[name];

export const localTime = (iso: string, now: number): string => clockTime(Date.parse(iso), now, localZone());

/** "limit resets at 03:10 (in 2 h 14 min)" for a rate-limited agent, else null. */
export function limitText(
  { state, until }: { state: string; until: string | null },
  now: number = Date.now(),
): string | null {
  if (state !== "rate_limited") return null;
  return until === null ? "reset time unknown" : resetText(Date.parse(until), now, localZone());
}

const short = ({ id }: IncidentView): string => id.slice(0, 8);

/** Open incidents below a table of agents; empty when there are none. */
export function openText(incidents: readonly IncidentView[], screen: OutputStream, now: number = Date.now()): string {
  const open = incidents.filter(({ ended_at }) => ended_at === null);
  const lines = open
    .slice(0, LINES_MAX)
    .flatMap((one) =>
      foldLine(
        `incident ${short(one)}  ${one.agent}: ${one.problem}, ${incidentSummary(one, now)}`,
        columnsOf(screen),
        2,
      ),
    );
  if (open.length > LINES_MAX) lines.push(moreText(open.length - LINES_MAX));
  return lines.map((line) => `${line}\n`).join("");
}

const LINES_MAX = 5;

const moreText = (more: number): string =>
  `and ${more} more open ${more === 1 ? "incident" : "incidents"}; see \`rouse incidents\``;

export function incidentsText(
  incidents: readonly IncidentView[],
  screen: OutputStream,
  now: number = Date.now(),
): string {
  if (incidents.length === 0) return "No incidents.\n";
  const width = columnsOf(screen);
  const columns: Column<IncidentView>[] = [
    { title: "ID", text: short },
    { title: "AGENT", text: (one) => one.agent, min: 8 },
    { title: "PROBLEM", text: (one) => one.problem },
    { title: "PHASE", text: phaseText },
    { title: "SINCE", text: (one) => localTime(one.since, now) },
    { title: "OPEN FOR", text: (one) => formatDistance(lasted(one, now)) },
  ];
  const [head = "", ...rows] = tableText(columns, incidents, width).trimEnd().split("\n");
  const lines = rows.flatMap((row, at) => {
    const incident = incidents[at];
    return incident ? [row, cut(`  ${incidentSummary(incident, now)}`, width)] : [row];
  });
  return `${[head, ...lines].join("\n")}\n`;
}

/** The user's decision in place of the phase: rouse takes no further action. */
export function phaseText({ phase, ended_at, acked_at, silenced_until }: IncidentView): string {
  if (ended_at !== null) return phase;
  if (acked_at !== null) return "acknowledged";
  return silenced_until === null ? phase : "silenced";
}

const lasted = ({ since, ended_at }: IncidentView, now: number): number =>
  (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(since);

/** Actions taken, then the next step or why there is none. */
export function incidentSummary(incident: IncidentView, now: number): string {
  const done = incident.actions.map((record) => actionText(record, now)).join(", ");
  const parts = [done, endText(incident, now) ?? nextText(incident, now)].filter((part) => part !== "");
  return parts.join("; ");
}

function actionText({ at, do: name, result }: ActionView, now: number): string {
  const when = localTime(at, now);
  if (result === "done") return `${doneText(name)} ${when}`;
  if (result === "pending") return `${name} in progress`;
  return `${name} ${when} ${result}`;
}

function endText({ phase, ended_at, withheld_step }: IncidentView, now: number): string | null {
  if (ended_at === null) return null;
  const how = phase === "recovered" ? "recovered" : "no longer seen since";
  return `${withheld_step ? `would have ${doneText(withheld_step)} it; ` : ""}${how} ${localTime(ended_at, now)}`;
}

type TextForm = "one line" | "detail";

function nextText(incident: IncidentView, now: number, form: TextForm = "one line"): string {
  const { next, withheld_step, until, problem, acked_at, silenced_until, feedback } = incident;
  if (acked_at !== null) return feedback === "false-alarm" ? "marked as a false alarm" : ACKNOWLEDGED[form];
  if (silenced_until !== null) return `silenced until ${localTime(silenced_until, now)}`;
  const limit = problem === "rate_limited" && until !== null ? `${limitText({ state: problem, until }, now)}; ` : "";
  if (withheld_step) return `${limit}${unpermittedText(incident, doneText(withheld_step), form)}`;
  if (!next) return "";
  const when = next.at === null ? "" : ` at ${localTime(next.at, now)}`;
  if (next.do && !incident.allowed)
    return `${limit}would ${next.do}${when}, but auto-recovery is off (see \`rouse allow\`)`;
  if (next.do) return `${limit}next: ${next.do}${when}: ${next.reason}`;
  return `${limit}${incident.phase === "escalated" ? `needs you: ${userStepText(incident) ?? whyNot(incident)}` : whyNot(incident)}`;
}

const ACKNOWLEDGED: Readonly<Record<TextForm, string>> = {
  "one line": "acknowledged: no further action by rouse",
  detail: "none: you acknowledged this incident",
};

/** An action for which only permission was missing. */
function unpermittedText(incident: IncidentView, done: string, form: TextForm): string {
  const why = `needs you: ${whyNot(incident).replace(" (see `rouse allow`)", "")}`;
  if (form === "one line") return `${why} (would have ${done} it)`;
  const allow = commandOf(incident, "rouse allow ");
  return `${why}. rouse would have ${done} it${allow === null ? "" : `; to allow that, run \`${allow}\``}`;
}

/** Problems that the user resolves at the terminal of the agent. */
const AT_TERMINAL: ReadonlySet<IncidentView["problem"]> = new Set(["needs_input", "auth"]);

/** What the user can do about a problem that rouse never acts on; null for other problems. */
function userStepText(incident: IncidentView): string | null {
  const traits = traitsOf(incident.problem);
  // Its advice names the job, the proposal or the lock.
  if (!traits.humanOnly || isPipelineProblem(incident.problem)) return null;
  const go = AT_TERMINAL.has(incident.problem) ? commandOf(incident, "rouse go ") : null;
  return go === null ? traits.userStep : `${traits.userStep} (\`${go}\`)`;
}

const commandOf = ({ commands }: IncidentView, start: string): string | null =>
  commands.find((command) => command.startsWith(start)) ?? null;

/** Without the words that the text already has. */
const whyNot = ({ next }: IncidentView): string => (next?.reason ?? "").replace(/^needs you: /, "");

/** The effect of the user's feedback. */
export function feedbackText({ agent, problem, feedback }: IncidentView): string {
  if (feedback !== "false-alarm") return `Noted: correct alert. Detection of ${problem} for ${agent} is unchanged.\n`;
  return isPatient(problem)
    ? `Noted: false alarm. rouse takes no further action and waits longer before it reports ${problem} for ${agent}.\n`
    : `Noted: false alarm. rouse takes no further action. Detection of ${problem} has no threshold to adjust.\n`;
}

/** One incident in full. */
export function storyText(incident: IncidentView, screen: OutputStream, now: number = Date.now()): string {
  const colour = isColoured(screen);
  const fold = (line: string): string[] => foldLine(line, columnsOf(screen), 2);
  const { agent, problem, policy, allowed, outage, earlier_problems } = incident;
  const lines = [
    `${paintText(agent, "bold", colour)}: ${problem}, ${phaseText(incident)} (incident ${incident.id})`,
    `  since ${localTime(incident.since, now)}, confidence ${incident.confidence}${earlier_problems.length > 0 ? `, previously ${earlier_problems.join(", ")}` : ""}`,
    ...(incident.reopened > 0 ? [`  reopened ${incident.reopened} ${incident.reopened === 1 ? "time" : "times"}`] : []),
    ...(outage
      ? [`  one of ${outage.incidents} incidents of a possible outage (${outage.group}, ${outage.shared})`]
      : []),
    ...incident.reasons.flatMap((reason) => fold(`  ${reason}`)),
    ...(policy === null ? [] : [`  policy ${policy}, auto-recovery is ${allowed ? "on" : "off"}`]),
    ...(incident.feedback === null ? [] : [`  your feedback: ${incident.feedback}`]),
    ...(incident.opinion === null ? [] : fold(`  a model's opinion: ${incident.opinion.text}`)),
    "",
    "Actions taken",
    ...(incident.actions.length === 0
      ? ["  none"]
      : incident.actions.flatMap((record) => fold(`  ${fullAction(record, now)}`))),
    "",
    incident.ended_at === null ? "Next step" : "Result",
    ...fold(`  ${endText(incident, now) ?? nextText(incident, now, "detail")}`),
    "",
    "Suggested commands",
    ...incident.commands.map((command) => `  ${command}`),
  ];
  return `${lines.join("\n")}\n`;
}

function fullAction({ at, do: name, result, reason, proven }: ActionView, now: number): string {
  const proof = proven === null ? "" : proven ? ", proven" : ", not proven";
  return `${localTime(at, now)}  ${name}: ${result}${proof}${reason === "" ? "" : `: ${reason}`}`;
}

function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}
