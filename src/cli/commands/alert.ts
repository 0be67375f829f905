/** `rouse alert`: alerts sent to people, their channels, and a test of a channel. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { AlertsStatus, AlertTest, AlertView } from "../../api/service/alerts.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { parseNamed } from "../arguments.js";
import { requestOperation } from "../ask.js";
import { call } from "../client.js";
import { localTime } from "../text/incident.js";
import { isColoured, paintText } from "../text/paint.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf, foldText } from "../text/width.js";
import { addAlertAdd } from "./alert-add.js";

const TEST_MS = 30_000;

export function addAlert(program: Command, setExit: (code: number) => void): void {
  const alert: Command = program.command("alert").summary("List alerts, add and test channels, retry failed alerts");
  alert
    .command("list")
    .summary("List alerts and their delivery state")
    .description(
      "List alerts, latest first. States: pending, sent, failed, superseded (replaced by a later alert), dropped (no\n" +
        "longer needed, or dismissed).",
    )
    .option("--limit <n>", "show at most N alerts (1 to 1000)", parseLimit, 50)
    .option("--json", "print JSON")
    .action(async ({ limit, json }) => {
      const { alerts } = await requestOperation("alerts", { limit });
      process.stdout.write(json ? `${sanitizedJson({ alerts })}\n` : alertsText(alerts, process.stdout));
    });
  alert
    .command("channels")
    .summary("List channels, destinations and errors")
    .option("--json", "print JSON")
    .action(async ({ json }) => {
      const status = await requestOperation("alert_status", {});
      process.stdout.write(json ? `${sanitizedJson(status)}\n` : channelsText(status, process.stdout));
    });
  addAlertAdd(alert, setExit);
  alert
    .command("test")
    .summary("Send a test alert to a channel")
    .description("Send a test alert to a channel and report the result. Exits 1 if delivery fails.")
    .argument("<channel>", "name of the channel in the configuration", parseNamed)
    .option("--json", "print JSON")
    .action(async (channel, { json }) => {
      const tested = await call("test_alert", { channel }, TEST_MS);
      process.stdout.write(json ? `${sanitizedJson(tested)}\n` : testedText(tested));
      if (tested.result !== "sent") setExit(1);
    });
  alert
    .command("retry")
    .summary("Retry failed alerts")
    .action(async () => {
      const { retried } = await call("retry_alerts", {});
      process.stdout.write(retried === 0 ? "No failed alerts.\n" : `Retrying ${counted(retried)}.\n`);
    });
  alert
    .command("dismiss")
    .summary("Dismiss failed alerts")
    .description("Dismiss failed alerts so they no longer appear in status and doctor.")
    .action(async () => {
      const { dismissed } = await call("dismiss_alerts", {});
      process.stdout.write(dismissed === 0 ? "No failed alerts.\n" : `Dismissed ${counted(dismissed)}.\n`);
    });
}

function parseLimit(value: string): number {
  const limit = Number(value);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new InvalidArgumentError("It must be a number from 1 to 1000.");
}

const counted = (count: number): string => `${count} alert${count === 1 ? "" : "s"}`;

const testedText = ({ channel, type, to, result, reason }: AlertTest): string =>
  result === "sent"
    ? `${channel} (${type}, ${to}): sent; check that it has arrived.\n`
    : `${channel} (${type}, ${to}): not sent: ${sanitize(reason ?? "", 300)}\n`;

interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

export function alertsText(alerts: readonly AlertView[], screen: OutputStream, now: number = Date.now()): string {
  if (alerts.length === 0) return "No alerts yet.\n";
  const colour = isColoured(screen);
  const columns: Column<AlertView>[] = [
    { title: "AT", text: ({ at }) => localTime(at, now) },
    { title: "CHANNEL", text: ({ channel }) => channel, min: 8 },
    {
      title: "STATE",
      text: ({ state }) => state,
      paint: (text, { state }) => (state === "failed" ? paintText(text, "red", colour) : text),
    },
    { title: "ATTEMPTS", text: ({ attempts }) => String(attempts) },
    { title: "TITLE", text: ({ title, error: issue }) => (issue === null ? title : `${title}: ${issue}`), min: 20 },
  ];
  return tableText(columns, alerts, columnsOf(screen));
}

function channelsText({ channels, pending, failed, issues }: AlertsStatus, screen: OutputStream): string {
  const wrong = issues.map((issue) => `${sanitize(issue, 300)}\n`).join("");
  if (channels.length === 0)
    return foldText(
      `${wrong}No alert channel is configured. Add one, for example with \`rouse alert add desktop\`.\n`,
      screen,
      0,
    );
  const columns: Column<AlertsStatus["channels"][number]>[] = [
    { title: "NAME", text: ({ name }) => name, min: 8 },
    { title: "TYPE", text: ({ type }) => type },
    { title: "TO", text: ({ to }) => to, min: 10 },
  ];
  const waiting = `${counted(pending)} pending, ${failed} failed\n`;
  return `${tableText(columns, channels, columnsOf(screen))}${waiting}${wrong}`;
}
