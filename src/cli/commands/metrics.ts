/** `rouse metrics`: four figures about stalls with their targets, and how often agents recovered after a step. */
import { type Command, Option } from "@commander-js/extra-typings";
import type { FiguresView, MetricsView } from "../../api/service/incidents.js";
import type { RecoveryScore } from "../../core/incidents/recovery-score.js";
import {
  FIGURE_NAMES,
  FIGURE_TARGETS,
  type Figure,
  type FigureName,
  SESSIONS_MIN,
  STALLS_MIN,
} from "../../core/incidents/stall-figures.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { requestOperation } from "../ask.js";
import { parseWhole } from "../task-options.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf, foldText } from "../text/width.js";

/** Below this the interval is too wide to say anything. */
const TRIED_MIN = 5;
const GROUPS = ["cause", "agent", "week"] as const;
type Group = (typeof GROUPS)[number];
type Screen = { columns?: number };

export function addMetrics(program: Command, _setExit: (code: number) => void): void {
  program
    .command("metrics")
    .summary("Show how well stalls are detected and recovered")
    .description(
      "Show four figures about stalls with their targets, by cause, agent or week: detection rate, recovery success, false\n" +
        "positives and time to recovery. A second table shows how often agents recovered within 10 minutes of each recovery\n" +
        "step, with the 95 % confidence interval. Its rows marked shadow are the baseline: steps that were not permitted, and\n" +
        "how often agents recovered without them. Rate incidents with `rouse feedback` to make the figures more accurate.",
    )
    .option("--weeks <number>", "number of calendar weeks, including this one", parseWhole, 4)
    .addOption(new Option("--by <group>", "one row per").choices(GROUPS).default("cause" as const))
    .option("--json", "print JSON")
    .action(async ({ weeks, by, json }) => {
      const metrics = await requestOperation("metrics", { weeks });
      process.stdout.write(json ? `${sanitizedJson(metrics)}\n` : metricsText(metrics, by, process.stdout));
    });
}

export function metricsText(metrics: MetricsView, by: Group, screen: Screen): string {
  const rows = ROWS[by](metrics);
  const parts = [
    foldText(`Stalls since ${metrics.since.slice(0, 10)}\n`, screen, 0),
    overallText(metrics.overall, screen),
    ...(rows.length === 0 ? [] : [groupText(by, rows, screen)]),
    recoveriesText(metrics.recoveries, screen),
  ];
  return parts.join("\n");
}

type Row = FiguresView & { name: string };
const ROWS: Readonly<Record<Group, (metrics: MetricsView) => Row[]>> = {
  cause: ({ by_cause }) => by_cause.map((row) => ({ ...row, name: row.cause })),
  agent: ({ by_agent }) => by_agent.map((row) => ({ ...row, name: row.agent })),
  week: ({ by_week }) => by_week.map((row) => ({ ...row, name: row.week })),
};

interface FigureText {
  title: string;
  value: (figure: Figure) => string;
  /** What it is based on. */
  basis: (figure: Figure, all: FiguresView) => string;
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;
const range = ({ value, high }: Figure): string => {
  if (value === null || high === null) return "not enough data";
  return percent(value) === percent(high) ? percent(value) : `${percent(value)} to ${percent(high)}`;
};
const least = (of: number, min: number): string => (of < min ? ` (needs ${min})` : "");

const FIGURES: Readonly<Record<FigureName, FigureText>> = {
  detection: {
    title: "Stall detection",
    value: range,
    basis: ({ count, of }, { missed }) =>
      `${count} of ${of} stalls${least(of, STALLS_MIN)}${missed === 0 ? "; none reported as missed" : ""}`,
  },
  recovery: {
    title: "Recovery success",
    value: range,
    basis: ({ count, of }) => `${count} of ${of} stalls that rouse acted on${least(of, STALLS_MIN)}`,
  },
  false_positives: {
    title: "False positives",
    value: range,
    basis: ({ count, of }, { unrated }) =>
      `${count} of ${of} agent runs${least(of, SESSIONS_MIN)}${unrated === 0 ? "" : `; ${unrated} ${unrated === 1 ? "stall" : "stalls"} not rated`}`,
  },
  time_to_recovery: {
    title: "Time to recovery",
    value: ({ value }) => (value === null ? "not enough data" : `${Math.round(value)} min`),
    basis: ({ of }) => `${of} ${of === 1 ? "recovery" : "recoveries"}${least(of, STALLS_MIN)}`,
  },
};

function targetText(name: FigureName): string {
  const target = FIGURE_TARGETS[name];
  if ("atLeast" in target) return `>= ${percent(target.atLeast)}`;
  return name === "time_to_recovery" ? `< ${target.below} min` : `< ${percent(target.below)}`;
}

const metText = ({ value, met }: Figure): string =>
  value === null ? "-" : met === null ? "open" : met ? "met" : "missed";

function overallText(figures: FiguresView, screen: Screen): string {
  const columns: Column<FigureName>[] = [
    { title: "FIGURE", text: (name) => FIGURES[name].title },
    { title: "VALUE", text: (name) => FIGURES[name].value(figures[name]) },
    { title: "TARGET", text: targetText },
    { title: "RESULT", text: (name) => metText(figures[name]) },
    { title: "BASED ON", text: (name) => FIGURES[name].basis(figures[name], figures), min: 20 },
  ];
  return tableText(columns, FIGURE_NAMES, columnsOf(screen));
}

const counted = ({ count, of }: Figure): string => (of === 0 ? "-" : `${count} of ${of}`);

function groupText(by: Group, rows: readonly Row[], screen: Screen): string {
  const columns: Column<Row>[] = [
    { title: by.toUpperCase(), text: ({ name }) => sanitize(name, 60), min: 12 },
    { title: "DETECTED", text: ({ detection }) => counted(detection) },
    { title: "RECOVERED", text: ({ recovery }) => counted(recovery) },
    { title: "FALSE POSITIVES", text: ({ false_positives }) => counted(false_positives) },
    { title: "NOT RATED", text: ({ unrated }) => String(unrated), spare: 1 },
    {
      title: "TIME TO RECOVERY",
      text: ({ time_to_recovery: one }) => (one.value === null ? "-" : `${Math.round(one.value)} min`),
    },
  ];
  return tableText(columns, rows, columnsOf(screen));
}

function recoveriesText(recoveries: readonly RecoveryScore[], screen: Screen): string {
  if (recoveries.length === 0)
    return foldText("No recovery steps to measure yet. A step counts after 10 minutes.\n", screen, 0);
  const columns: Column<RecoveryScore>[] = [
    { title: "PROBLEM", text: ({ problem }) => problem },
    { title: "STEP", text: ({ step }) => step },
    { title: "ARM", text: ({ arm }) => arm },
    { title: "RECOVERED", text: ({ recovered, tried }) => `${recovered} of ${tried}` },
    {
      title: "RATE (95% INTERVAL)",
      text: ({ tried, rate, low, high }) =>
        tried < TRIED_MIN ? "too few to compare" : `${percent(rate)} (${percent(low)} to ${percent(high)})`,
    },
  ];
  return (
    tableText(columns, recoveries, columnsOf(screen)) +
    foldText("\nRecovered within 10 minutes; shadow: without the step, which was not permitted.\n", screen, 0)
  );
}
