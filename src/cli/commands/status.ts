/** `rouse status`, `rouse health` and `rouse why`: looking at what is watched. */
import { type Command, Option } from "@commander-js/extra-typings";
import type { WhyAnswer } from "../../api/service/agents.js";
import type { AlertsStatus } from "../../api/service/alerts.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import type { PulseView } from "../../daemon/self/pulse.js";
import type { IncidentView } from "../../daemon/views/incident-view.js";
import type { SessionView } from "../../daemon/views/view.js";
import { parseNamed } from "../arguments.js";
import { askUser, isCalled, isUnlisted } from "../ask.js";
import { gistOf, limitText, localTime, openText } from "../text/incident.js";
import { canDraw, isColoured, paintState, paintText } from "../text/paint.js";
import { redrawUntilInterrupted } from "../text/redraw.js";
import { type Column, tableText } from "../text/table.js";
import { timelineText } from "../text/timeline.js";
import { columnsOf, foldLine, textWidth } from "../text/width.js";

export function addStatus(program: Command, setExit: (code: number) => void): void {
  program
    .command("status")
    .summary("all watched agents in one table")
    .option("--json", "for programs")
    .option("--all", "also those that ended")
    .option("--watch", "redraw every two seconds until Ctrl-C; once with --json, or where the output is no terminal")
    .option("--line", "one short line, for the status line of tmux or a prompt; starts no daemon")
    .option("--quiet", "with --line: print it only when somebody needs you")
    .action(async ({ json, all, watch, quiet }, self) => {
      // `--line` never comes here: quick.ts has it.
      if (quiet) self.error("error: --quiet goes with --line", { exitCode: 2 });
      const text = async (): Promise<string> => {
        const [agents, watchdog, incidents, alerts] = await listAll(all === true);
        return (
          statusText(agents, process.stdout) +
          openText(incidents, process.stdout) +
          pulsesText(watchdog) +
          lostText(alerts, process.stdout)
        );
      };
      if (watch && !json && canDraw(process.stdout)) return redrawUntilInterrupted(text);
      if (!json) return void process.stdout.write(await text());
      const [agents, watchdog, incidents, alerts] = await listAll(all === true);
      process.stdout.write(`${sanitizedJson({ agents, watchdog, incidents, alerts })}\n`);
    });
  program
    .command("health")
    .summary("which agents are unhealthy; exit 1 when one is")
    .description(
      "Lists the living agents, and those that ended in a problem that nobody has taken: rouse ack, a silence or a newer session\nof the same name takes it. Exit 1 when one of them is unhealthy.",
    )
    .argument("[agent]", "its name; all of them without it", parseNamed)
    .addOption(new Option("--filter <which>", "only the unhealthy ones").choices(["unhealthy"] as const))
    .option("--json", "for programs")
    .action(async (name, { filter, json }) => {
      const agents = name === undefined ? await listAgents(false, true) : [await oneAgent(name)];
      const shown = agents.map(healthOf).filter((health) => filter !== "unhealthy" || health.status !== "healthy");
      if (json) process.stdout.write(`${sanitizedJson(name === undefined ? { agents: shown } : shown[0])}\n`);
      else
        for (const health of shown)
          process.stdout.write(
            `${health.agent}: ${health.status} (${health.state}${health.cause ? `/${health.cause}` : ""}) ${[limitText(health), ...health.errors].filter((part) => part !== null).join(" · ")}\n`,
          );
      if (shown.some((health) => health.status === "unhealthy")) setExit(1);
    });
  program
    .command("why")
    .summary("why rouse says what it says of one agent")
    .argument("<agent>", "its name", parseNamed)
    .option("--json", "for programs")
    .action(async (name, { json }) => {
      const why = await askUser("why", { agent: name }, isCalled(name));
      process.stdout.write(json ? `${sanitizedJson(why)}\n` : whyText(why, process.stdout));
    });
}

const listAll = (all: boolean) => Promise.all([listAgents(all), listPulses(), listIncidents(), alertsStatus()]);

/** `lost`: also ended agents with an unacknowledged problem. */
async function listAgents(ended: boolean, lost = false): Promise<SessionView[]> {
  const { agents } = await askUser("agents", { ended, lost }, isUnlisted);
  return [...agents].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const listPulses = async (): Promise<{ pulses: PulseView[] }> => {
  const { pulses } = await askUser("daemon", {});
  return { pulses };
};

const listIncidents = async (): Promise<IncidentView[]> => (await askUser("incidents", {})).incidents;

const alertsStatus = (): Promise<AlertsStatus> => askUser("alert_status", {});

/** Alerts that reached nobody, loudly; empty while all are told. */
function lostText(alerts: AlertsStatus, screen: OutputStream): string {
  if (alerts.dead === 0 && alerts.issues.length === 0 && alerts.failing.length === 0) return "";
  const colour = isColoured(screen);
  const [last] = alerts.dead_letters;
  const [failing] = alerts.failing;
  return [
    ...alerts.issues.map((issue) => `ALERTS: ${sanitize(issue, 300)}`),
    ...(alerts.dead > 0
      ? [
          `ALERTS: ${alerts.dead} could not be sent, the last over ${last?.channel}: ${last?.error}; see rouse alert list`,
        ]
      : []),
    ...(failing ? [`ALERTS: ${failing.channel} fails and is tried again: ${failing.error}`] : []),
  ]
    .map((line) => `${paintText(line, "red", colour)}\n`)
    .join("");
}

const pulsesText = ({ pulses }: { pulses: readonly PulseView[] }): string =>
  pulses.map(({ error: issue }) => (issue === null ? "" : `rouse's own sign of life fails: ${issue}\n`)).join("");

const oneAgent = (name: string): Promise<SessionView> => askUser("status", { agent: name }, isCalled(name));

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

interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

const TOKENS: Column<SessionView> = {
  title: "TOK/H",
  text: (a) => (a.tokens_per_hour > 0 ? compact(a.tokens_per_hour) : "–"),
  spare: 6,
};
const TASK: Column<SessionView> = { title: "TASK", text: (a) => a.task ?? "", min: 4, spare: 4 };

export function statusText(agents: readonly SessionView[], screen: OutputStream, now: number = Date.now()): string {
  if (agents.length === 0)
    return 'nothing is watched yet: start an agent with "rouse run -- COMMAND" or "rouse spawn -- COMMAND"\n';
  const colour = isColoured(screen);
  const age = (iso: string | null): string => (iso === null ? "–" : formatDuration(Math.max(0, now - Date.parse(iso))));
  const columns: Column<SessionView>[] = [
    { title: "NAME", text: (a) => a.name, min: 8 },
    { title: "KIND", text: (a) => a.kind, min: 6, spare: 5 },
    {
      title: "STATE",
      text: (a) => (a.cause ? `${a.state}/${a.cause}` : a.state),
      min: 18,
      isDear: true,
      paint: (text, a) => text.replace(a.state, paintState(a.state, 0, colour)),
    },
    { title: "SINCE", text: (a) => age(a.since), spare: 1 },
    { title: "NEWS", text: (a) => age(a.last_progress), spare: 3 },
    // What nobody has takes the room of what everybody does.
    ...(agents.some(({ tokens_per_hour: used }) => used > 0) ? [TOKENS] : []),
    ...(agents.some(({ task }) => task !== null) ? [TASK] : []),
    { title: "DOING", text: (a) => limitText(a, now) ?? (a.doing || (a.reasons[0] ?? "")), min: 6, spare: 2 },
  ];
  return `${tableText(columns, agents, columnsOf(screen))}${agents.map((a) => blindText(a, now) + priceText(a)).join("")}`;
}

/** The notice `watchdog.blind` in one line; empty for an agent that rouse sees. */
const blindText = ({ name, blind }: SessionView, now: number): string =>
  blind === null ? "" : `blind to ${name} for ${formatDuration(now - Date.parse(blind.since))}: ${blind.reason}\n`;

/** A budget of money says nothing of an agent whose price nobody tells. */
const priceText = ({ name, spend }: SessionView): string =>
  spend && spend.cost_usd_budget !== null && spend.cost_usd === null
    ? `${name}: the budget of money cannot be watched, for nothing tells a price (${compact(spend.unpriced_tokens)} tokens this night)\n`
    : "";

const compact = (n: number): string =>
  n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e3 ? `${Math.round(n / 1e3)}k` : String(n);

/** What it uses; only some programs tell the price. */
export function burnText({ tokens_per_hour, cost_usd_per_hour }: SessionView): string {
  const price = cost_usd_per_hour > 0 ? `, $${cost_usd_per_hour.toFixed(2)}` : "";
  return `${compact(tokens_per_hour)} tokens${price} an hour`;
}

/** The night so far beside its budget. */
export function spendLines({ spend }: SessionView, now: number = Date.now()): string[] {
  if (!spend) return [];
  const tokens = `${compact(spend.tokens)}${spend.tokens_budget === null ? "" : ` of ${compact(spend.tokens_budget)}`} tokens`;
  const cost = spend.cost_usd === null ? "cost not known" : `$${spend.cost_usd.toFixed(2)}`;
  const of = spend.cost_usd_budget === null ? "" : ` (of $${spend.cost_usd_budget.toFixed(2)})`;
  return [
    `  this night, until ${localTime(spend.until, now)}: ${tokens}, ${cost}${of}${spend.is_over ? ": over budget" : ""}`,
    ...spend.notes.map((note) => `  ${note}`),
  ];
}

export function whyText(why: WhyAnswer, screen: OutputStream, now: number = Date.now()): string {
  const colour = isColoured(screen);
  const columns = columnsOf(screen);
  const fold = (line: string): string[] => foldLine(line, columns, 2);
  const lines = [
    `${paintText(why.name, "bold", colour)} is ${paintState(why.state, 0, colour)}${why.cause ? `/${why.cause}` : ""} since ${localTime(why.since, now)} (confidence ${why.confidence})`,
    ...[limitText(why, now)].filter((text) => text !== null).map((text) => `  ${text}`),
    ...why.reasons.flatMap((reason) => fold(`  ${reason}`)),
    ...why.incidents.flatMap((one) => fold(`  incident ${one.id} (${one.problem}, ${one.phase}): ${gistOf(one, now)}`)),
    ...(why.tokens_per_hour > 0 ? [`  ${burnText(why)}`] : []),
    ...spendLines(why, now).flatMap(fold),
    ...(why.blind
      ? fold(`  rouse is blind to it since ${localTime(why.blind.since, now)}; the evidence is what was last seen`)
      : []),
    "",
    "evidence",
    ...why.evidence.flatMap((row) => evidenceLines(row, columns, colour)),
    "",
    ...(why.preview.length > 0 ? ["last lines of its screen", ...why.preview.map((line) => `  ${line}`), ""] : []),
    ...(why.changes.length > 0
      ? ["what would change it", ...why.changes.flatMap((change) => fold(`  ${change}`)), ""]
      : []),
  ];
  return `${lines.join("\n")}\n${timelineText("timeline", why.timeline, { colour, columns: screen.columns ?? 100 })}`;
}

/** Its age and source stand behind it, or on a line of their own where there is no room. */
function evidenceLines(row: WhyAnswer["evidence"][number], columns: number, colour: boolean): string[] {
  const says = foldLine(`  ${row.what.padEnd(12)} ${row.says}`, columns, 13);
  const when = `${formatDuration(row.age_secs * 1000)} ago, ${row.source}`;
  const isRoom = says.length === 1 && textWidth(says[0] as string) + 2 + when.length <= columns;
  const last = paintText(when, "dim", colour);
  return isRoom ? [`${says[0]}  ${last}`] : [...says, " ".repeat(15) + last];
}
