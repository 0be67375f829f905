/** `rouse check`: how long each agent has been quiet, and whether it is active elsewhere. */
import type { Command } from "@commander-js/extra-typings";
import type { AgentActivity } from "../../api/service/activity.js";
import { loadConfig } from "../../config/load.js";
import { ACTIVITY_SOURCES, type ActivitySource } from "../../core/judgement/activity-sources.js";
import { formatDuration } from "../../core/text/duration.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { CATEGORIES, type Category, type CheckedAgent } from "../../daemon/views/check.js";
import { parseNamed } from "../arguments.js";
import { isCalled, isUnlisted, requestOperation } from "../ask.js";
import type { OperationInput } from "../client.js";
import { loadSettings } from "../settings.js";
import { NO_AGENTS } from "../text/no-agents.js";
import { isColoured, paintText } from "../text/paint.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf, foldLine, foldText } from "../text/width.js";

/** The mark at the end of a text that a column cut. */
const CUT = "…";
const COLOURS = { fresh: "green", warning: "yellow", critical: "magenta", "auto-resume": "red" } as const;

export function addCheck(program: Command, setExit: (code: number) => void): void {
  program
    .command("check")
    .summary("Sort agents by the age of their last activity")
    .description(
      "Find forgotten agents: sort them by the age of their last activity (a status, a report or progress) into fresh (less\n" +
        "than 2 h), warning (up to 6 h), critical (up to 12 h) and auto-resume (longer; a nudge is recommended). check.* in\n" +
        "the configuration sets the hours. Fresh means recent, not healthy: `rouse status` shows problems. An agent that is\n" +
        "active elsewhere (commits, tests, files), has finished or waits for a usage limit is at most warning; an agent that\n" +
        "waits for an answer is at most critical. ACTIVITY is an assessment from ten sources, with its confidence. Exits 1 if\n" +
        "any agent is critical or auto-resume.",
    )
    .argument("[agent]", "show the activity of this agent, and whether rouse may nudge or resume it", parseNamed)
    .option("--no-activity-check", "sort by age alone")
    .option("--json", "print JSON")
    .action(async (name, { activityCheck, json }, self) => {
      loadSettings();
      if (name !== undefined) {
        if (!activityCheck) self.error("error: --no-activity-check cannot be combined with an agent", { exitCode: 2 });
        const activity = await requestOperation("get_activity", { agent: name }, isCalled(name));
        process.stdout.write(json ? `${sanitizedJson(activity)}\n` : agentText(activity));
        return;
      }
      const asked = { ...askedHere(), ...(activityCheck ? {} : { activity: false }) };
      const { agents } = await requestOperation("check", asked, isUnlisted);
      process.stdout.write(json ? `${sanitizedJson({ agents })}\n` : checkText(agents, process.stdout));
      if (agents.some(({ category }) => category === "critical" || category === "auto-resume")) setExit(1);
    });
}

/** The daemon knows the configuration of each agent's folder; only this process knows the shell's variables. */
function askedHere(): OperationInput<"check"> {
  const { config, origins } = loadConfig({ projects: false });
  const isAsked = (name: string): boolean => origins[name]?.layer === "environment";
  const hours = Object.entries(config.check).filter(([name]) => isAsked(`check.${name}`));
  return {
    ...Object.fromEntries(hours),
    ...(isAsked("resume.validate_activity") ? { activity: config.resume.validate_activity } : {}),
  };
}

export function checkText(agents: readonly CheckedAgent[], screen: { isTTY?: boolean; columns?: number }): string {
  if (agents.length === 0) return foldText(NO_AGENTS, screen, 0);
  const colour = isColoured(screen);
  const columns: Column<CheckedAgent>[] = [
    { title: "NAME", text: (a) => a.name, min: 8 },
    { title: "CATEGORY", text: (a) => a.category, paint: (text, a) => paintText(text, COLOURS[a.category], colour) },
    { title: "LAST ACTIVITY", text: (a) => `${formatDuration(a.age_secs * 1000)} ago` },
    { title: "STATE", text: (a) => (a.cause ? `${a.state}/${a.cause}` : a.state) },
  ];
  const activity: Column<CheckedAgent> = { title: "ACTIVITY", text: activityText, min: 10 };
  const width = columnsOf(screen);
  const wide = tableText([...columns, activity], agents, width);
  const table = wide.includes(CUT) ? withLinesBelow(tableText(columns, agents, width), agents, width) : wide;
  const count = (category: Category): number => agents.filter((agent) => agent.category === category).length;
  const counts = CATEGORIES.filter((category) => count(category) > 0).map(
    (category) => `${count(category)} ${category}`,
  );
  return `${table}\n${counts.join(", ")}\n`;
}

/** With the activity of each agent below its row. */
function withLinesBelow(table: string, agents: readonly CheckedAgent[], width: number): string {
  const [head = "", ...rows] = table.trimEnd().split("\n");
  const below = (agent: CheckedAgent): string[] =>
    activityText(agent) === "" ? [] : foldLine(`  ${activityText(agent)}`, width);
  return `${[head, ...rows.flatMap((row, at) => [row, ...below(agents[at] as CheckedAgent)])].join("\n")}\n`;
}

function activityText({ activity, capped_because, category_by_age }: CheckedAgent): string {
  const held = capped_because === null ? "" : `not ${category_by_age}: ${capped_because}`;
  if (!activity) return held;
  const found = activity.known
    ? `${activity.is_active ? "active" : "inactive"} (${activity.confidence})`
    : (activity.reasons[0] ?? "unknown");
  const sources = activity.sources.map((source) => wordingOf(source)).join(", ");
  return [held, [found, sources].filter((part) => part !== "").join(": ")].filter((part) => part !== "").join("; ");
}

/** A newer daemon may have more sources. */
const wordingOf = (source: string): string =>
  Object.hasOwn(ACTIVITY_SOURCES, source) ? ACTIVITY_SOURCES[source as ActivitySource].wording : source;

export function agentText({
  agent,
  known,
  is_active,
  confidence,
  inactivity_minutes,
  reasons,
  guard,
}: AgentActivity): string {
  const last = inactivity_minutes === null ? "" : `, last activity ${formatDuration(inactivity_minutes * 60_000)} ago`;
  const state = known ? `${is_active ? "active" : "inactive"} (confidence ${confidence})${last}` : "activity unknown";
  const resume = guard.send
    ? "rouse may nudge or resume it."
    : `rouse would not nudge or resume it${is_active ? ": it is active" : guard.may_ask ? "; it may ask one question" : ""}.`;
  return [`${agent}: ${state}`, ...reasons.map((reason) => `  ${reason}`), `  ${resume}`, ""].join("\n");
}
