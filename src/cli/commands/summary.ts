/** `rouse summary`: states, problems and results of each agent since a time. */
import type { Command } from "@commander-js/extra-typings";
import type { SummaryAnswer } from "../../api/service/daemon.js";
import type { TaskSummaryView } from "../../api/service/task-views.js";
import { tasksText } from "../../core/notices/pipeline-text.js";
import type { State } from "../../core/states.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import type { IncidentView } from "../../daemon/views/incident-view.js";
import type { AgentSummary, ProblemSummary } from "../../daemon/views/summary.js";
import { requestOperation } from "../ask.js";
import { parseSince } from "../since.js";
import { incidentSummary } from "../text/incident.js";
import { isColoured, paintState, paintText } from "../text/paint.js";
import { taskLine } from "../text/task.js";
import { foldText } from "../text/width.js";

const USUAL = "12h";

export function addSummary(program: Command, _setExit: (code: number) => void): void {
  program
    .command("summary")
    .summary("Summarize states, problems, commits and tokens")
    .description(
      "Read the journal and summarize each agent: time in each state, problems and how they ended, and results (commits,\n" +
        "files, tests, tokens).",
    )
    .option(
      "--since <when>",
      `start: 8h, 22:00, or an ISO 8601 date (default: ${USUAL})`,
      (value: string) => parseSince(value),
      undefined,
    )
    .option("--json", "print JSON")
    .action(async ({ since, json }) => {
      const from = Math.floor(since ?? parseSince(USUAL));
      const summary = await requestOperation("summary", { since: from });
      process.stdout.write(
        json ? `${sanitizedJson(summary)}\n` : foldText(summaryText(summary, process.stdout), process.stdout, 4),
      );
    });
}

export function summaryText(
  { since, until, agents, incidents, work }: SummaryAnswer,
  screen: { isTTY?: boolean },
  now: number = Date.now(),
): string {
  const colour = isColoured(screen);
  const head = `From ${localTime(since)} to ${localTime(until)}`;
  if (agents.length === 0) return `${head}: no agents.\n${workText(work, colour)}`;
  // Incidents belong to an agent, not to a session: all are shown with its last session.
  const last = new Map(agents.toSorted((a, b) => (a.from < b.from ? -1 : 1)).map((agent) => [agent.name, agent]));
  const of = (agent: AgentSummary): IncidentView[] =>
    last.get(agent.name) === agent ? incidents.filter((incident) => incident.agent === agent.name).reverse() : [];
  return `${head}\n${workText(work, colour)}${agents.map((agent) => agentText(agent, of(agent), colour, now)).join("")}`;
}

const TASKS_SHOWN = 30;

/** The tasks that need the user come first. */
function workText(work: SummaryAnswer["work"], colour: boolean): string {
  if (work === null) return "";
  const rank = ({ status }: TaskSummaryView): number => (status === "failed" ? 0 : status === "blocked" ? 1 : 2);
  const tasks = work.tasks.toSorted((a, b) => rank(a) - rank(b));
  const more = tasks.length - TASKS_SHOWN;
  const lines = [
    "",
    paintText(tasksText(work), "bold", colour),
    ...tasks.slice(0, TASKS_SHOWN).map((task) => `  ${taskLine(task)}`),
    ...(more > 0 ? [`  and ${more} more ${more === 1 ? "task" : "tasks"}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function agentText(agent: AgentSummary, incidents: readonly IncidentView[], colour: boolean, now: number): string {
  const task = agent.task ? ` on ${agent.task}` : "";
  const cause = agent.cause ? `/${agent.cause}` : "";
  const lines = [
    "",
    `${paintText(agent.name, "bold", colour)} (${agent.kind})${task}: ${paintState(agent.state, 0, colour)}${cause}${endText(agent)}`,
    `  ${timesText(agent)}`,
    ...agent.problems.map((problem) => `  ${problemText(problem, colour)}`),
    ...(agent.problems_omitted > 0
      ? [`  and ${agent.problems_omitted} more ${agent.problems_omitted === 1 ? "problem" : "problems"}`]
      : []),
    ...incidents.map((one) => `  incident ${one.id.slice(0, 8)} (${one.problem}): ${incidentSummary(one, now)}`),
    ...[outcomeText(agent)].filter((text) => text !== "").map((text) => `  ${text}`),
  ];
  return `${lines.join("\n")}\n`;
}

function endText({ ended }: AgentSummary): string {
  if (!ended) return "";
  const how =
    ended.signal !== null ? ` by signal ${ended.signal}` : ended.code !== null ? ` with exit code ${ended.code}` : "";
  return `, ended ${localTime(ended.at)}${how}`;
}

function timesText({ states, unobserved_secs }: AgentSummary): string {
  const longest = (Object.entries(states) as [State, number][]).sort((a, b) => b[1] - a[1]);
  const times = longest.map(([state, secs]) => `${state} ${formatDuration(secs * 1000)}`);
  if (unobserved_secs > 0) times.push(`unobserved for ${formatDuration(unobserved_secs * 1000)}`);
  return times.join(", ") || "less than a second";
}

function problemText(problem: ProblemSummary, colour: boolean): string {
  const what = `${paintState(problem.state, 0, colour)}${problem.cause ? `/${problem.cause}` : ""}`;
  const from = `${problem.began_before ? "before " : ""}${localTime(problem.from)}`;
  const end = problem.followed_by === null ? " (ongoing)" : `, then ${problem.followed_by}`;
  return `${from}  ${what} for ${formatDuration(problem.duration_secs * 1000)}${end}. When first seen: ${problem.reason}`;
}

function outcomeText({ commits, files, tests, tokens }: AgentSummary): string {
  const some = (n: number, one: string, more: string): string[] =>
    n === 0 ? [] : [`${n.toLocaleString("en")} ${n === 1 ? one : more}`];
  const cost = tokens.cost_usd > 0 ? [`$${tokens.cost_usd.toFixed(2)}`] : [];
  return [
    ...some(commits, "commit", "commits"),
    ...some(files, "file changed", "files changed"),
    ...some(tests.passed, "test run passed", "test runs passed"),
    ...some(tests.failed, "test run failed", "test runs failed"),
    ...some(tokens.input + tokens.output, "token", `tokens (${tokens.output.toLocaleString("en")} output)`),
    ...cost,
  ].join(", ");
}

/** Local time with the date. */
function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
