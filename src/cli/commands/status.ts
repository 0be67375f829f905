/** `rouse status`, `rouse health` and `rouse why`: the state of the watched agents. */
import { type Command, Option } from "@commander-js/extra-typings";
import type { WhyAnswer } from "../../api/service/agents.js";
import type { AlertsStatus } from "../../api/service/alerts.js";
import type { JournalView } from "../../api/service/daemon.js";
import type { FleetView } from "../../api/service/fleet.js";
import { formatAgo, formatDuration } from "../../core/text/duration.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import type { PulseView } from "../../daemon/self/pulse.js";
import type { IncidentView } from "../../daemon/views/incident-view.js";
import type { SessionView } from "../../daemon/views/view.js";
import { parseNamed } from "../arguments.js";
import { isCalled, isUnlisted, requestOperation } from "../ask.js";
import type { OperationInput } from "../client.js";
import { isFleetName } from "../fleet-name.js";
import { SORT_NAMES, type SortName, sortAgents } from "../sort-agents.js";
import { firstOfEach, reasonsByChannel } from "../text/by-channel.js";
import { compactNumber } from "../text/compact-number.js";
import { fleetStatusText, fleetWhyText } from "../text/fleet.js";
import { incidentSummary, limitText, localTime, openText, phaseText } from "../text/incident.js";
import { NO_AGENTS } from "../text/no-agents.js";
import { canDraw, isColoured, paintState, paintText } from "../text/paint.js";
import { redrawUntilInterrupted } from "../text/redraw.js";
import { type Column, tableText } from "../text/table.js";
import { timelineText } from "../text/timeline.js";
import { columnsOf, fitTo, foldLine, foldText, textWidth } from "../text/width.js";

export function addStatus(program: Command, setExit: (code: number) => void): void {
  program
    .command("status")
    .summary("Show all watched agents")
    .description(
      "Show all watched agents, in the order of MOVE (what has to act next). FOR counts from the detection of the state.\n" +
        "An agent that ended stays listed for 10 minutes, and as long as its problem is not acknowledged. Columns that do not\n" +
        "fit are left out, and names are never cut; docs/cli-details.md describes them.",
    )
    .option("--tag <tag>", "only agents with this tag")
    .addOption(new Option("--sort <order>", "order of the list").choices(SORT_NAMES).default("move" as SortName))
    .option("--json", "print JSON")
    .option("--all", "include agents that have ended")
    .option("--fleet", "the agents of all machines of the fleet")
    .option("--watch", "redraw every two seconds until Ctrl-C (on a terminal, without --json)")
    .option("--line", "print one short line for the status line of tmux or a prompt")
    .option("--quiet", "with --line: print only agents that are stalled or need you")
    .action(async ({ tag, sort, json, all, fleet, watch, quiet }, self) => {
      // `--line` is handled in quick.ts.
      if (quiet) self.error("error: --quiet requires --line", { exitCode: 2 });
      if (fleet) return showFleet({ tag, json, watch });
      const which = { ended: all === true, ...(tag === undefined ? {} : { tag }) };
      const text = async (): Promise<string> => {
        const [agents, watchdog, incidents, alerts] = await listAll(which, sort);
        return (
          (agents.length === 0 && tag !== undefined
            ? foldText(`No agents with the tag ${sanitize(tag, 100)}.\n`, process.stdout, 0)
            : statusText(agents, process.stdout)) +
          openText(incidents, process.stdout) +
          foldText(watchdogText(watchdog) + lostText(alerts, process.stdout), process.stdout)
        );
      };
      if (watch && !json && canDraw(process.stdout)) return redrawUntilInterrupted(text);
      if (!json) return void process.stdout.write(await text());
      const [agents, watchdog, incidents, alerts] = await listAll(which, sort);
      process.stdout.write(`${sanitizedJson({ agents, watchdog, incidents, alerts })}\n`);
    });
  program
    .command("health")
    .summary("List agents and their health; exit 1 if one is unhealthy")
    .description(
      "List the running agents and whether each is healthy. Also list exited agents with unacknowledged problems (cleared\n" +
        "by `rouse ack`, a silence, or a new session of that name). An agent that waits for a usage limit to reset counts as\n" +
        "healthy. Exits 1 if one of them is unhealthy.",
    )
    .argument("[agent]", "name of the agent (default: all)", parseNamed)
    .addOption(new Option("--filter <which>", "only unhealthy agents").choices(["unhealthy"] as const))
    .option("--json", "print JSON")
    .action(async (name, { filter, json }) => {
      // An agent that ended at its prompt has no health.
      const isListed = ({ ended_at, healthy }: SessionView): boolean => ended_at === null || !healthy;
      const agents = name === undefined ? (await listAgents()).filter(isListed) : [await oneAgent(name)];
      const shown = agents.map(healthOf).filter((health) => filter !== "unhealthy" || health.status !== "healthy");
      if (json) process.stdout.write(`${sanitizedJson(name === undefined ? { agents: shown } : shown[0])}\n`);
      else
        process.stdout.write(
          agents.length === 0
            ? foldText(NO_AGENTS, process.stdout, 0)
            : foldText(shown.map((health) => healthText(health)).join(""), process.stdout),
        );
      if (shown.some((health) => health.status === "unhealthy")) setExit(1);
    });
  program
    .command("why")
    .summary("Explain the state of an agent")
    .description(
      "Explain the state of an agent: reasons, open incidents, the evidence with source and age, what would change the state,\n" +
        "and the timeline. Evidence marked decisive wins if sources disagree on whether a turn is running.",
    )
    .argument("<agent>", "name of the agent, or NAME@NODE for another machine of the fleet", parseNamed)
    .option("--json", "print JSON")
    .action(async (name, { json }) => {
      if (isFleetName(name)) {
        const agent = await requestOperation("fleet_agent", { agent: name });
        return void process.stdout.write(json ? `${sanitizedJson(agent)}\n` : fleetWhyText(agent, process.stdout));
      }
      const why = await requestOperation("why", { agent: name }, isCalled(name));
      process.stdout.write(json ? `${sanitizedJson(why)}\n` : whyText(why, process.stdout));
    });
}

type FleetOptions = Record<"json" | "watch", true | undefined> & { tag: string | undefined };

async function showFleet({ tag, json, watch }: FleetOptions): Promise<void> {
  const read = async (): Promise<FleetView> => {
    const { agents, ...view } = await requestOperation("fleet", {});
    return { ...view, agents: agents.filter(({ tags }) => tag === undefined || tags.includes(tag)) };
  };
  const text = async (): Promise<string> => fleetStatusText(await read(), process.stdout);
  if (watch && !json && canDraw(process.stdout)) return redrawUntilInterrupted(text);
  process.stdout.write(json ? `${sanitizedJson(await read())}\n` : await text());
}

type AgentQuery = OperationInput<"agents">;

async function listAll(
  which: AgentQuery,
  sort: SortName,
): Promise<[SessionView[], Watchdog, IncidentView[], AlertsStatus]> {
  const [agents, watchdog, incidents, alerts] = await Promise.all([
    listAgents(which),
    watchdogState(),
    listIncidents(),
    alertsStatus(),
  ]);
  // With a tag, only incidents of the agents that have it.
  const names = which.tag === undefined ? null : new Set(agents.map(({ name }) => name));
  return [
    sortAgents(agents, sort),
    watchdog,
    incidents.filter(({ agent }) => names === null || names.has(agent)),
    alerts,
  ];
}

/** Also agents that ended within the last ten minutes, or with an unacknowledged problem. */
async function listAgents(which: AgentQuery = {}): Promise<SessionView[]> {
  const isMissing = which.tag === undefined ? isUnlisted : () => false;
  const { agents } = await requestOperation("agents", { ...which, recent: true }, isMissing);
  return agents;
}

interface Watchdog {
  heartbeats: PulseView[];
  journal_damage: JournalView["damage"];
}

const watchdogState = async (): Promise<Watchdog> => {
  const { heartbeats, journal } = await requestOperation("daemon", {});
  return { heartbeats, journal_damage: journal.damage };
};

const listIncidents = async (): Promise<IncidentView[]> => (await requestOperation("incidents", {})).incidents;

const alertsStatus = (): Promise<AlertsStatus> => requestOperation("alert_status", {});

/** Alerts that could not be sent; empty if there are none. */
function lostText(alerts: AlertsStatus, screen: OutputStream): string {
  if (alerts.failed === 0 && alerts.issues.length === 0 && alerts.failing.length === 0) return "";
  const colour = isColoured(screen);
  return [
    ...alerts.issues.map((issue) => `ALERTS: ${sanitize(issue, 300)}`),
    ...(alerts.failed > 0
      ? [
          `ALERTS: ${alerts.failed} could not be sent (${reasonsByChannel(alerts.failed_alerts)}); see \`rouse alert list\``,
        ]
      : []),
    ...firstOfEach(alerts.failing).map((alert) => `ALERTS: ${alert.channel} fails, retrying: ${alert.error}`),
  ]
    .map((line) => `${paintText(line, "red", colour)}\n`)
    .join("");
}

const watchdogText = ({ heartbeats, journal_damage: damage }: Watchdog, now: number = Date.now()): string =>
  (damage ? `JOURNAL: ${sanitize(damage.text, 300)} (${localTime(damage.at, now)})\n` : "") +
  heartbeats.map(({ error: issue }) => (issue === null ? "" : `daemon heartbeat fails: ${issue}\n`)).join("");

const oneAgent = (name: string): Promise<SessionView> => requestOperation("status", { agent: name }, isCalled(name));

/** The fields of the agent-health proposal: agent, status, last_output, errors. */
function healthOf(agent: SessionView): {
  agent: string;
  status: "healthy" | "unhealthy";
  state: string;
  cause: string | null;
  /** When a limit ends. */
  until: string | null;
  last_output: string | null;
  errors: string[];
} {
  return {
    agent: agent.name,
    status: agent.healthy ? "healthy" : "unhealthy",
    state: agent.state,
    cause: agent.cause,
    until: agent.until,
    last_output: agent.last_output,
    errors: agent.healthy ? [] : agent.reasons,
  };
}

function healthText({ agent, status, state, cause, until, errors }: ReturnType<typeof healthOf>): string {
  const details = [limitText({ state, until }), ...errors].filter((part) => part !== null).join(" · ");
  return `${agent}: ${status} (${state}${cause ? `/${cause}` : ""})${details === "" ? "" : `: ${details}`}\n`;
}

interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

/** Columns that would be empty leave their room to the others. */
const SOMETIMES: readonly { column: Column<SessionView>; isKnown: (agent: SessionView) => boolean }[] = [
  {
    column: {
      title: "TOK/H",
      text: (a) => (a.tokens_per_hour > 0 ? compactNumber(a.tokens_per_hour) : "–"),
      spare: 5,
    },
    isKnown: (a) => a.tokens_per_hour > 0,
  },
  {
    column: {
      title: "COST",
      text: ({ cost_usd_24h: cost }) => (cost === null ? "–" : `$${cost.toFixed(2)}`),
      spare: 4,
    },
    isKnown: (a) => a.cost_usd_24h !== null,
  },
  { column: { title: "TASK", text: (a) => a.task ?? "", min: 4, spare: 3 }, isKnown: (a) => a.task !== null },
];
/** With less room than this, the reasons get lines of their own. */
const DOING_MIN = 60;
const GAP = 2;

export function statusText(agents: readonly SessionView[], screen: OutputStream, now: number = Date.now()): string {
  if (agents.length === 0) return foldText(NO_AGENTS, screen, 0);
  const colour = isColoured(screen);
  const width = columnsOf(screen);
  const age = (iso: string): string => formatDuration(Math.max(0, now - Date.parse(iso)));
  const doing = (a: SessionView): string => doingText(a, now);
  const columns: Column<SessionView>[] = [
    // Never cut: names are copied into other commands.
    { title: "NAME", text: (a) => a.name },
    { title: "KIND", text: (a) => a.kind, spare: 6 },
    {
      title: "STATE",
      text: (a) => (a.cause ? `${a.state}/${a.cause}` : shownState(a)),
      min: 30,
      isDear: true,
      paint: (text, a) => text.replace(a.state, paintState(a.state, 0, colour)),
    },
    { title: "MOVE", text: (a) => (hasEnded(a) ? "–" : a.move), spare: 3 },
    { title: "FOR", text: (a) => age(a.since), spare: 1 },
    { title: "LAST ACTIVITY", text: (a) => age(a.last_activity), spare: 4 },
    ...SOMETIMES.flatMap(({ column, isKnown }) => (agents.some(isKnown) ? [column] : [])),
  ];
  const longest = Math.max(...agents.map((a) => textWidth(doing(a))));
  const beside = { title: "DOING", text: doing, min: Math.min(longest, DOING_MIN), spare: 2 };
  const wide = tableText([...columns, beside], agents, width);
  // The reason gets the room, as long as the columns that are left say what it is about.
  const isBeside = / {2}DOING$/.test(wide.slice(0, wide.indexOf("\n"))) || width < LEAST_COLUMNS;
  const [head = "", ...rows] = (isBeside ? wide : tableText(columns, agents, width)).trimEnd().split("\n");
  const reasons = (a: SessionView): string[] =>
    isBeside || doing(a) === "" ? [] : foldWithin(`${" ".repeat(GAP)}${doing(a)}`, width);
  const lines = agents.flatMap((a, at) => [rows[at] ?? "", ...reasons(a)]);
  const notes = agents.map((a) => unobservedText(a, now) + priceText(a)).join("");
  return `${[head, ...lines].join("\n")}\n${notes}`;
}

/** At most three lines, each cut at the width: a question may be long, and a path has no place to wrap at. */
function foldWithin(line: string, width: number): string[] {
  const lines = foldLine(line, width);
  const shown = lines.slice(0, REASON_LINES_MAX);
  if (lines.length > shown.length) shown.push(`${" ".repeat(GAP)}…`);
  return shown.map((one) => (textWidth(one) > width ? fitTo(one, width) : one));
}

const REASON_LINES_MAX = 3;
/** Narrower terminals show no reasons: `rouse why` does. */
const LEAST_COLUMNS = 24;

/** The limit, the tool or the question, else the first reason. */
function doingText(agent: SessionView, now: number): string {
  const text = limitText(agent, now) ?? (agent.question || agent.doing || (agent.reasons[0] ?? ""));
  if (agent.ended_at === null || agent.state === "gone") return text;
  const ended = `Ended ${formatAgo(Math.max(0, now - Date.parse(agent.ended_at)))}`;
  return text === "" ? ended : `${ended}. ${text}`;
}

/** The message `watchdog.blind` in one line; empty for an agent that rouse sees. */
const unobservedText = ({ name, unobserved }: SessionView, now: number): string =>
  unobserved === null
    ? ""
    : `${name}: unobserved for ${formatDuration(now - Date.parse(unobserved.since))}: ${unobserved.reason}\n`;

/** A cost budget cannot be enforced for an agent whose prices are unknown. */
const priceText = ({ name, spend }: SessionView): string =>
  spend && spend.cost_usd_budget !== null && spend.cost_usd === null
    ? `${name}: cannot check the cost budget: no price is known (${compactNumber(spend.unpriced_tokens)} tokens tonight)\n`
    : "";

/** Only some programs report a price. */
export function burnText({ tokens_per_hour, cost_usd_per_hour }: SessionView): string {
  const price = cost_usd_per_hour > 0 ? `, $${cost_usd_per_hour.toFixed(2)}` : "";
  return `${compactNumber(tokens_per_hour)} tokens${price} per hour`;
}

/** Tokens and cost of the budget period so far. */
export function spendLines({ spend }: SessionView, now: number = Date.now()): string[] {
  if (!spend) return [];
  const tokens = `${compactNumber(spend.tokens)}${spend.tokens_budget === null ? "" : ` of ${compactNumber(spend.tokens_budget)}`} tokens`;
  const cost = spend.cost_usd === null ? "cost unknown" : `$${spend.cost_usd.toFixed(2)}`;
  const of = spend.cost_usd_budget === null ? "" : ` (budget $${spend.cost_usd_budget.toFixed(2)})`;
  return [
    `  tonight, until ${localTime(spend.until, now)}: ${tokens}, ${cost}${of}${spend.is_over ? ": over budget" : ""}`,
    ...spend.notes.map((note) => `  ${note}`),
  ];
}

export function whyText(why: WhyAnswer, screen: OutputStream, now: number = Date.now()): string {
  const colour = isColoured(screen);
  const columns = columnsOf(screen);
  const fold = (line: string): string[] => foldLine(line, columns, 2);
  const lines = [
    `${paintText(why.name, "bold", colour)}: ${verdictText(why, colour, now)} (confidence ${why.confidence})`,
    ...[limitText(why, now)].filter((text) => text !== null).map((text) => `  ${text}`),
    ...why.reasons.flatMap((reason) => fold(`  ${reason}`)),
    ...why.incidents.flatMap((one) =>
      fold(`  incident ${one.id} (${one.problem}, ${phaseText(one)}): ${incidentSummary(one, now)}`),
    ),
    ...(why.tokens_per_hour > 0 ? [`  ${burnText(why)}`] : []),
    ...spendLines(why, now).flatMap(fold),
    ...(why.unobserved
      ? fold(`  Unobserved since ${localTime(why.unobserved.since, now)}; the evidence is older`)
      : []),
    "",
    ...(why.evidence.length > 0
      ? ["Evidence", ...why.evidence.flatMap((row) => evidenceLines(row, columns, colour)), ""]
      : []),
    ...(why.preview.length > 0 ? ["Last lines of its screen", ...why.preview.map((line) => `  ${line}`), ""] : []),
    ...(why.changes.length > 0
      ? ["What would change this state", ...why.changes.flatMap((change) => fold(`  ${change}`)), ""]
      : []),
  ];
  return `${lines.join("\n")}\n${timelineText("Timeline (from the start of the session)", why.timeline, { colour, columns: screen.columns || 100, untilText: (until) => localTime(until, now) })}`;
}

function verdictText({ state, cause, since, ended_at }: SessionView, colour: boolean, now: number): string {
  if (ended_at !== null && hasEnded({ state, ended_at })) return `ended at ${localTime(ended_at, now)}`;
  return `${paintState(state, 0, colour)}${cause ? `/${cause}` : ""} since ${localTime(since, now)}`;
}

/** An agent that was stopped or closed is `idle`, but no longer at its prompt. A result outlives the exit. */
const hasEnded = ({ state, ended_at }: Pick<SessionView, "state" | "ended_at">): boolean =>
  state === "idle" && ended_at !== null;
const shownState = (agent: SessionView): string => (hasEnded(agent) ? "ended" : agent.state);

/** Age and source follow on the same line if there is room, else on the next one. */
function evidenceLines(row: WhyAnswer["evidence"][number], columns: number, colour: boolean): string[] {
  const lines = foldLine(`  ${row.name.padEnd(13)} ${row.value}`, columns, 14);
  const when = `${formatDuration(row.age_secs * 1000)} ago, ${row.source}`;
  const isRoom = lines.length === 1 && textWidth(lines[0] as string) + 2 + when.length <= columns;
  const last = paintText(when, "dim", colour);
  return isRoom ? [`${lines[0]}  ${last}`] : [...lines, " ".repeat(16) + last];
}
