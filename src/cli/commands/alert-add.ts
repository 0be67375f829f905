/** `rouse alert add`: writes a channel into the user's configuration and proves it with a test alert. */
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { type Command, Option } from "@commander-js/extra-typings";
import type { AlertTest } from "../../api/service/alerts.js";
import { addChannel, type ChannelTable } from "../../config/add-channel.js";
import { channelObjection } from "../../config/channels.js";
import { rousePaths } from "../../config/paths.js";
import { CHANNEL_SEVERITIES } from "../../core/notices/alert.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { BadInput } from "../../replay/bad-input.js";
import { requestOperation } from "../ask.js";
import { call } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { permitted } from "../permit.js";
import { foldText } from "../text/width.js";
import { WrongOption } from "../wrong-option.js";

interface ChannelKind {
  /** What the destination is; null if there is none. */
  destination: string | null;
  /** The settings for a destination. */
  table: (destination: string) => ChannelTable;
  /** Whether an access token must be given. */
  needsToken: boolean;
  /** What to do if the test alert fails. */
  advice: string;
}

const CHECK = "Check the address and the network";

const at = (needsToken = false): ChannelKind => ({
  destination: "URL",
  table: (url) => ({ url }),
  needsToken,
  advice: CHECK,
});
const here = (advice: string): ChannelKind => ({ destination: null, table: () => ({}), needsToken: false, advice });

/** The types that a few words describe; the others are written into the file by hand. */
const KINDS: Readonly<Record<string, ChannelKind>> = {
  desktop: here(
    process.platform === "darwin"
      ? "Allow notifications of osascript, or use a phone: `rouse alert add ntfy TOPIC`"
      : "It needs a desktop session and notify-send (package libnotify); without them: `rouse alert add ntfy TOPIC`",
  ),
  terminal: here("Open one with `rouse run` or `rouse attach`"),
  ntfy: { destination: "topic, or URL with the topic", table: ntfyTable, needsToken: false, advice: CHECK },
  slack: at(),
  discord: at(),
  webhook: at(),
  gotify: at(true),
  telegram: { destination: "chat", table: (chat) => ({ chat }), needsToken: true, advice: CHECK },
};

/** `https://ntfy.example.org/topic` names the server too. */
function ntfyTable(given: string): ChannelTable {
  const [, url, topic] = /^(https?:\/\/.+)\/([^/]+)\/?$/.exec(given) ?? [];
  return url !== undefined && topic !== undefined ? { url, topic } : { topic: given };
}

const SOON_MS = 200;
const TAKEN_MS = 15_000;
const TEST_MS = 30_000;

export function addAlertAdd(alert: Command, setExit: (code: number) => void): void {
  alert
    .command("add")
    .summary("Add a channel and send a test alert to it")
    .description(
      "Add a channel to your configuration and send a test alert to it. If that fails, the configuration stays as it was. The\n" +
        "running daemon uses the channel at once. The destination is a topic (ntfy), a chat (telegram) or the URL that the\n" +
        "service gave you; desktop and terminal need none. `-` reads it from standard input, so that a secret is not in your\n" +
        "shell history. Other types and settings: docs/alerts.md.",
    )
    .argument("<type>", Object.keys(KINDS).join(", "))
    .argument("[destination]", "topic, chat or URL; - reads it from standard input")
    .option("--name <name>", "name of the channel (default: its type)")
    .option("--token <token>", "access token, where the service needs one")
    .addOption(
      new Option("--severity <level>", "send only alerts of at least this severity").choices(CHANNEL_SEVERITIES),
    )
    .option("--allow-private", "allow an address in a private network, and http://")
    .option("--no-test", "add it without a test alert")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  rouse alert add desktop\n  rouse alert add ntfy my-secret-topic\n  rouse alert add slack - < webhook-url.txt\n",
    )
    .action(async (type, destination, { name = type, token, severity, allowPrivate, test, json }) => {
      const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
      if (!kind)
        throw new WrongOption(
          `unknown type ${JSON.stringify(sanitize(type, 40))}; expected one of ${Object.keys(KINDS).join(", ")} (others: docs/alerts.md)`,
        );
      const table: ChannelTable = {
        type,
        ...kind.table(await destinationOf(type, kind, destination)),
        ...(token === undefined ? {} : { token }),
        ...(severity === undefined ? {} : { severity }),
        ...(allowPrivate ? { allow_private: true } : {}),
      };
      if (kind.needsToken && token === undefined)
        throw new WrongOption(`${type} needs an access token: ${usage(type, kind)}`);
      const objection = channelObjection(name, { ...table });
      if (objection !== null)
        throw new WrongOption(`cannot add the channel: ${objection}; usage: ${usage(type, kind)}`);
      const file = join(rousePaths().config, "config.toml");
      const { path, tested } = await permitted("local_config", { text: `alert add ${type}` }, [file], async () => {
        const added = addChannel(name, table);
        if ("problem" in added) throw new BadInput(`cannot add the channel: ${added.problem}`);
        return { path: added.path, tested: await prove(name, test, added.undo, kind.advice) };
      });
      if (tested !== null && tested.result !== "sent") setExit(1);
      process.stdout.write(
        json
          ? `${sanitizedJson({ channel: name, type, path, test: tested })}\n`
          : foldText(
              `Added the channel ${name} to ${path}.${tested ? " Sent a test alert; check that it has arrived." : ""}\n`,
              process.stdout,
              0,
            ),
      );
    });
}

async function destinationOf(type: string, kind: ChannelKind, given: string | undefined): Promise<string> {
  if (kind.destination === null) {
    if (given !== undefined) throw new WrongOption(`${type} takes no destination`);
    return "";
  }
  const text = given === "-" ? (await readAll(process.stdin)).trim() : given;
  if (text === undefined) throw new WrongOption(`${type} needs a destination: ${usage(type, kind)}`);
  if (text === "") throw new WrongOption(`the destination is empty; usage: ${usage(type, kind)}`);
  return text;
}

const usage = (type: string, { destination, needsToken }: ChannelKind): string =>
  `rouse alert add ${type}${destination === null ? "" : ` <${destination}>`}${needsToken ? " --token TOKEN" : ""}`;

/** The daemon sends the test, since it will send the alerts. Undoes the change and throws if that fails. */
async function prove(name: string, isTested: boolean, undo: () => boolean, advice: string): Promise<AlertTest | null> {
  const problem = await (async (): Promise<{ text: string } | AlertTest | null> => {
    await ensureDaemon();
    const refusal = await taken(name);
    if (refusal !== null) return { text: refusal };
    return isTested ? await call("test_alert", { channel: name }, TEST_MS) : null;
  })().catch((error: unknown) => ({ text: (error as Error).message }));
  if (problem === null || ("result" in problem && problem.result === "sent")) return problem as AlertTest | null;
  const reason = "result" in problem ? (problem.reason ?? "no reason given") : problem.text;
  const kept = undo() ? "nothing was added" : "the configuration was changed meanwhile and keeps the channel";
  throw new BadInput(
    `the test alert to ${sanitize(name, 80)} was not sent: ${sanitize(reason, 300)}; ${kept}. ${advice}, or add it without a test: --no-test`,
  );
}

/** Null once the daemon has taken the channel over; otherwise what it says about it. */
async function taken(name: string): Promise<string | null> {
  const deadline = Date.now() + TAKEN_MS;
  for (;;) {
    const { channels, issues } = await requestOperation("alert_status", {});
    if (channels.some((channel) => channel.name === name)) return null;
    const issue = issues.find((text) => text.includes(`channels.${name}:`));
    if (issue !== undefined) return issue;
    if (Date.now() > deadline) return "the daemon did not take the channel over; see `rouse doctor`";
    await new Promise((resolve) => setTimeout(resolve, SOON_MS));
  }
}
