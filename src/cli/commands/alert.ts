/** `rouse alert`: what humans were told over which channel, and whether a channel works. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { AlertsStatus, AlertTest, AlertView } from "../../api/service/alerts.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { parseNamed } from "../arguments.js";
import { askUser } from "../ask.js";
import { call } from "../client.js";
import { localTime } from "../text/incident.js";
import { isColoured, paintText } from "../text/paint.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf } from "../text/width.js";

const TEST_MS = 30_000;

export function addAlert(program: Command, setExit: (code: number) => void): void {
  const alert = program.command("alert").summary("alerts to humans: list them, test a channel, try again");
  alert
    .command("list")
    .description("What was told over which channel, the latest first: sent, pending, superseded, dropped or dead.")
    .option("--limit <n>", "so many, up to 1000", parseLimit, 50)
    .option("--json", "for programs")
    .action(async ({ limit, json }) => {
      const { alerts } = await askUser("alerts", { limit });
      process.stdout.write(json ? `${sanitizedJson({ alerts })}\n` : alertsText(alerts, process.stdout));
    });
  alert
    .command("channels")
    .description("The channels of your configuration, where they lead, and what is wrong with them.")
    .option("--json", "for programs")
    .action(async ({ json }) => {
      const status = await askUser("alert_status", {});
      process.stdout.write(json ? `${sanitizedJson(status)}\n` : channelsText(status, process.stdout));
    });
  alert
    .command("test")
    .description("Sends a message to a channel now and says what came of it; exit 1 when it was not taken.")
    .argument("<channel>", "its name in the configuration", parseNamed)
    .option("--json", "for programs")
    .action(async (channel, { json }) => {
      const tested = await call("test_alert", { channel }, TEST_MS);
      process.stdout.write(json ? `${sanitizedJson(tested)}\n` : testedText(tested));
      if (tested.result !== "sent") setExit(1);
    });
  alert
    .command("retry")
    .description("Tries again what was given up.")
    .action(async () => {
      const { revived } = await call("retry_alerts", {});
      process.stdout.write(revived === 0 ? "nothing was given up\n" : `${revived} alerts are tried again\n`);
    });
  alert
    .command("dismiss")
    .description("Leaves what was given up at that: status and doctor speak of it no more.")
    .action(async () => {
      const { dismissed } = await call("dismiss_alerts", {});
      process.stdout.write(`${dismissed} alerts are dismissed\n`);
    });
}

function parseLimit(value: string): number {
  const limit = Number(value);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new InvalidArgumentError("It must be a number from 1 to 1000.");
}

const testedText = ({ channel, type, to, result, reason }: AlertTest): string =>
  result === "sent"
    ? `${channel} (${type}, ${to}): sent; look whether it has arrived\n`
    : `${channel} (${type}, ${to}): not sent: ${sanitize(reason ?? "", 300)}\n`;

interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

export function alertsText(alerts: readonly AlertView[], screen: OutputStream, now: number = Date.now()): string {
  if (alerts.length === 0) return "nobody was alerted yet\n";
  const colour = isColoured(screen);
  const columns: Column<AlertView>[] = [
    { title: "AT", text: ({ at }) => localTime(at, now) },
    { title: "CHANNEL", text: ({ channel }) => channel, min: 8 },
    {
      title: "STATE",
      text: ({ state }) => state,
      paint: (text, { state }) => (state === "dead" ? paintText(text, "red", colour) : text),
    },
    { title: "TRIES", text: ({ attempts }) => String(attempts) },
    { title: "WHAT", text: ({ title, error: issue }) => (issue === null ? title : `${title}: ${issue}`), min: 20 },
  ];
  return tableText(columns, alerts, columnsOf(screen));
}

function channelsText({ channels, pending, dead, issues }: AlertsStatus, screen: OutputStream): string {
  const wrong = issues.map((issue) => `${sanitize(issue, 300)}\n`).join("");
  if (channels.length === 0)
    return `${wrong}no channel is configured: nobody is alerted. Add a [channels.NAME] to your configuration, then: rouse down, rouse up\n`;
  const columns: Column<AlertsStatus["channels"][number]>[] = [
    { title: "NAME", text: ({ name }) => name, min: 8 },
    { title: "TYPE", text: ({ type }) => type },
    { title: "TO", text: ({ to }) => to, min: 10 },
  ];
  const waiting = `${pending} alerts wait, ${dead} could not be sent\n`;
  return `${tableText(columns, channels, columnsOf(screen))}${waiting}${wrong}`;
}
