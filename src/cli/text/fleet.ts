/** The fleet as text: nodes, agents of all nodes, the outcome of a command. */
import type { CommandView, FleetAgentView, FleetNodeRecord, FleetView } from "../../api/service/fleet.js";
import { formatAgo, formatDuration } from "../../core/text/duration.js";
import { limitText, localTime } from "./incident.js";
import { isColoured, paintState, paintText } from "./paint.js";
import { type Column, tableText } from "./table.js";
import { columnsOf, foldLine, foldText } from "./width.js";

interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

export function fleetStatusText(view: FleetView, screen: OutputStream, now: number = Date.now()): string {
  const colour = isColoured(screen);
  const age = (time: string): string => formatDuration(Math.max(0, now - Date.parse(time)));
  const columns: Column<FleetAgentView>[] = [
    // Never cut: names are copied into other commands.
    { title: "NAME", text: (a) => a.id },
    { title: "KIND", text: (a) => a.kind, spare: 4 },
    {
      title: "STATE",
      text: (a) => (a.cause ? `${a.state}/${a.cause}` : a.state),
      min: 20,
      isDear: true,
      paint: (text, a) => text.replace(a.state, paintState(a.state, 0, colour)),
    },
    { title: "MOVE", text: (a) => a.move, spare: 3 },
    { title: "FOR", text: (a) => age(a.since), spare: 1 },
    {
      title: "DOING",
      text: (a) => limitText(a, now) ?? (a.question || a.doing || (a.reasons[0] ?? "")),
      min: 30,
      spare: 2,
    },
  ];
  const table =
    view.agents.length === 0 ? "No agents in this fleet.\n" : tableText(columns, view.agents, columnsOf(screen));
  return table + foldText(fleetNotes(view, now), screen);
}

/** What is wrong with the fleet, one line each; empty if all is well. */
function fleetNotes({ hub, brake, nodes }: FleetView, now: number = Date.now()): string {
  const lines = nodes.flatMap(({ name, state, since }) => {
    const ago = since === null ? "" : ` (${formatAgo(Math.max(0, now - Date.parse(since)))})`;
    return state === "lost" ? [`Node ${name} is lost${ago}: it has not renewed its lease.`] : [];
  });
  if (!hub.reachable)
    lines.push(
      `The hub is not reachable${hub.silent_secs === null ? "" : ` for ${formatDuration(hub.silent_secs * 1000)}`}: ${hub.error ?? "no answer"}. The states of other nodes are unknown; ${hub.waiting} changes of this node wait.`,
    );
  if (brake > 0)
    lines.push(
      `${brake} nodes were lost together (possible outage): no task is taken over until they are back or removed.`,
    );
  return lines.map((line) => `${line}\n`).join("");
}

export function nodesText(view: FleetView, screen: OutputStream, now: number = Date.now()): string {
  const columns: Column<FleetNodeRecord>[] = [
    { title: "NODE", text: (n) => `${n.name}${n.is_self ? " (this one)" : ""}` },
    { title: "STATE", text: (n) => n.state },
    {
      title: "FOR",
      text: ({ since }) => (since === null ? "–" : formatDuration(Math.max(0, now - Date.parse(since)))),
    },
    { title: "AGENTS", text: (n) => String(n.agents) },
    { title: "VERSION", text: (n) => n.version || "–", spare: 1 },
    { title: "COMMANDS", text: (n) => (n.is_self ? "–" : n.accepts_commands ? "accepted" : "refused"), spare: 2 },
  ];
  return tableText(columns, view.nodes, columnsOf(screen)) + foldText(fleetNotes(view, now), screen);
}

export function fleetWhyText(agent: FleetAgentView, screen: OutputStream, now: number = Date.now()): string {
  const colour = isColoured(screen);
  const fold = (line: string): string[] => foldLine(line, columnsOf(screen), 2);
  const cause = agent.cause ? `/${agent.cause}` : "";
  const lines = [
    `${paintText(agent.id, "bold", colour)}: ${paintState(agent.state, 0, colour)}${cause} since ${localTime(agent.since, now)}`,
    ...[limitText(agent, now), agent.question].filter((text) => text !== null).map((text) => `  ${text}`),
    ...agent.reasons.map((reason) => `  ${reason}`),
    ...agent.incidents.map((one) => `  incident ${one.id} (${one.problem}, ${one.phase}): ${one.reason}`),
    `Evidence, timeline and screen are on ${agent.node}: ssh ${agent.node} rouse why ${agent.name}`,
  ];
  return lines
    .flatMap(fold)
    .map((line) => `${line}\n`)
    .join("");
}

export function fleetIncidentsText(
  { agents, ...view }: FleetView,
  screen: OutputStream,
  now: number = Date.now(),
): string {
  type Row = FleetAgentView["incidents"][number];
  const rows = agents.flatMap(({ incidents }) => incidents);
  const columns: Column<Row>[] = [
    { title: "ID", text: ({ id }) => id },
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "PROBLEM", text: ({ problem }) => problem },
    { title: "PHASE", text: ({ phase }) => phase, spare: 1 },
    { title: "OPENED", text: (one) => localTime(one.opened_at, now), spare: 2 },
    { title: "REASON", text: ({ reason }) => reason, min: 30, spare: 3 },
  ];
  const table = rows.length === 0 ? "No open incidents in this fleet.\n" : tableText(columns, rows, columnsOf(screen));
  return table + foldText(fleetNotes({ agents, ...view }, now), screen);
}

const DONE = { stop: "Stopped", recover: "Recovered" } as const;

export function commandText({ agent, verb, result, reason }: CommandView): string {
  if (result === "done") return `${DONE[verb]} ${agent}${reason === "" ? "" : `: ${reason}`}.\n`;
  if (result === "expired") return `Not done: ${reason}.\n`;
  if (result === "unknown")
    return `Unknown whether ${agent} was reached: ${reason}. Check with \`rouse why ${agent}\`.\n`;
  return `${result === "refused" ? "Refused" : "Failed"}: ${reason}\n`;
}
