/** `rouse history`: one agent over time. */
import type { Command } from "@commander-js/extra-typings";
import type { HistoryAnswer } from "../../api/service/history.js";
import type { State } from "../../core/states.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { parseNamed } from "../arguments.js";
import { isCalled, requestOperation } from "../ask.js";
import { parseSince } from "../since.js";
import { compactNumber } from "../text/compact-number.js";
import { incidentSummary, localTime, type OutputStream, phaseText } from "../text/incident.js";
import { isColoured, paintState, paintText } from "../text/paint.js";
import { columnsOf, foldLine } from "../text/width.js";

const LIMIT = 100;

export function addHistory(program: Command, _setExit: (code: number) => void): void {
  program
    .command("history")
    .summary("Show an agent over time: states, incidents, cost")
    .description(
      "Show one agent over time: its sessions, the time in each state, each change of state with its reason, incidents with\n" +
        "the actions taken, and tokens and cost per hour. Works for ended agents too, as long as the journal keeps them.",
    )
    .argument("<agent>", "name of the agent", parseNamed)
    .option("--since <when>", "start: 8h, 22:00, or an ISO 8601 date (default: 24h)", (value: string) =>
      parseSince(value),
    )
    .option("--all", `list all changes of state, not only the latest ${LIMIT}`)
    .option("--json", "print JSON")
    .action(async (agent, { since, all, json }) => {
      const from = since === undefined ? {} : { since: Math.floor(since) };
      const history = await requestOperation("history", { agent, ...from }, isCalled(agent));
      process.stdout.write(
        json
          ? `${sanitizedJson(history)}\n`
          : historyText(history, process.stdout, all ? Number.POSITIVE_INFINITY : LIMIT),
      );
    });
}

export function historyText(
  { agent, since, until, sessions, states, states_omitted, usage, incidents }: HistoryAnswer,
  screen: OutputStream,
  limit: number = LIMIT,
  now: number = Date.now(),
): string {
  const colour = isColoured(screen);
  const at = (iso: string): string => localTime(iso, now);
  const title = (text: string): string => paintText(text, "bold", colour);
  const hidden = states_omitted + Math.max(0, states.length - limit);
  const lines = [
    `${title(agent)} from ${at(since)} to ${at(until)}`,
    "",
    title("Sessions"),
    ...sessions.map((session) => `  ${sessionText(session, at)}`),
    ...(sessions.length === 0 ? ["  none"] : []),
    "",
    title("States"),
    ...(hidden > 0
      ? [`  ${hidden} earlier changes are not shown${limit < states.length ? " (--all shows more)" : ""}`]
      : []),
    ...states.slice(-limit).map(({ from, to, state, cause, reason }) => {
      const took = formatDuration(Date.parse(to ?? until) - Date.parse(from));
      const what = `${paintState(state, 0, colour)}${cause ? `/${cause}` : ""}`;
      return `  ${at(from)}  ${what} for ${took}${to === null ? " (now)" : ""}${reason === "" ? "" : `: ${reason}`}`;
    }),
    "",
    title("Incidents"),
    ...incidents
      .toReversed()
      .map(
        (one) =>
          `  ${at(one.opened_at)}  ${one.id.slice(0, 8)}  ${one.problem}, ${phaseText(one)}: ${incidentSummary(one, now)}`,
      ),
    ...(incidents.length === 0 ? ["  none"] : []),
    ...(usage.length > 0 ? ["", title("Tokens and cost"), ...usageLines(usage, at)] : []),
  ];
  return `${lines.flatMap((line) => foldLine(line, columnsOf(screen), 4)).join("\n")}\n`;
}

function sessionText(
  { started_at, ended, kind, origin, task, states }: HistoryAnswer["sessions"][number],
  at: (iso: string) => string,
): string {
  const how = ended === null ? "running" : `ended ${at(ended.at)}${exitText(ended)}`;
  const longest = (Object.entries(states) as [State, number][])
    .sort((a, b) => b[1] - a[1])
    .map(([state, secs]) => `${state} ${formatDuration(secs * 1000)}`);
  return `${at(started_at)}  ${kind} (${origin})${task ? ` on ${task}` : ""}, ${how}: ${longest.join(", ") || "nothing observed"}`;
}

const exitText = ({ code, signal }: { code: number | null; signal: number | null }): string =>
  signal !== null ? ` by signal ${signal}` : code !== null ? ` with exit code ${code}` : "";

function usageLines(usage: HistoryAnswer["usage"], at: (iso: string) => string): string[] {
  const text = (tokens: number, cost: number | null): string =>
    `${compactNumber(tokens).padStart(6)} tokens  ${cost === null ? "cost unknown" : `$${cost.toFixed(2)}`}`;
  const costs = usage.flatMap(({ cost_usd }) => cost_usd ?? []);
  const total = usage.reduce((sum, { tokens }) => sum + tokens, 0);
  const cost = costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0);
  const rows = usage.map(({ from, tokens, cost_usd }) => `  ${at(from)}  ${text(tokens, cost_usd)}`);
  return [...rows, `  total  ${text(total, cost)}`];
}
