/** `rouse metrics`: how often agents recovered after a step, and without it. */
import type { Command } from "@commander-js/extra-typings";
import type { RecoveryScore } from "../../core/incidents/recovery-score.js";
import { sanitizedJson } from "../../core/text/sanitize.js";
import { requestOperation } from "../ask.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf, foldText } from "../text/width.js";

/** Below this the interval is too wide to say anything. */
const TRIED_MIN = 5;

export function addMetrics(program: Command, _setExit: (code: number) => void): void {
  program
    .command("metrics")
    .summary("Show the success rate of each recovery step")
    .description(
      "Show how often agents recovered within 10 minutes of each step, by problem, with the 95 % confidence interval.\n" +
        "The arm shadow is the baseline: steps that were not permitted, and how often the agent recovered without them.",
    )
    .option("--json", "print JSON")
    .action(async ({ json }) => {
      const metrics = await requestOperation("metrics", {});
      process.stdout.write(json ? `${sanitizedJson(metrics)}\n` : metricsText(metrics.recoveries, process.stdout));
    });
}

export function metricsText(recoveries: readonly RecoveryScore[], screen: { columns?: number }): string {
  if (recoveries.length === 0)
    return foldText("No recovery steps to measure yet. A step counts after 10 minutes.\n", screen, 0);
  const percent = (share: number): string => `${Math.round(share * 100)}%`;
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
