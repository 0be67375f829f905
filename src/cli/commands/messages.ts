/** `rouse messages`: the inbox of an orchestrator, read with a cursor and acknowledged. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { MessageView } from "../../api/operations/records.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { shellWord } from "../../core/text/shell-word.js";
import { DaemonUnreachable } from "../../daemon/client.js";
import { parseInbox, parseMessageType } from "../arguments.js";
import { requestOperation } from "../ask.js";
import { call } from "../client.js";
import { loadSettings } from "../settings.js";
import { localTime } from "../text/incident.js";
import { foldText } from "../text/width.js";

const POLL_MS = 1000;

export function addMessages(program: Command, _setExit: (code: number) => void): void {
  const messages = program
    .command("messages")
    .summary("Read, follow, acknowledge and send messages")
    .description(
      "List unacknowledged messages about agents, oldest first, each with the first suggested action. A message stays\n" +
        "until it is acknowledged. --json has all fields: what has to act next, reasons, further suggestions.",
    )
    .option("--tag <tag>", "tag of the inbox (default: watchdog.orchestrator_tag)", parseInbox)
    .option("--follow", "wait for new messages until Ctrl-C")
    .option("--ack", "acknowledge the messages shown")
    .option("--all", "include acknowledged messages")
    .option("--after <cursor>", "only messages after this cursor", wholeNumber)
    .option("--json", "print JSON: one object, or one message per line with --follow")
    .action(async ({ tag = orchestratorTag(), follow, ack, all, after = 0, json }) => {
      const page = (cursor: number): Promise<Page> =>
        requestOperation("messages", { tag, after: cursor, all: all === true });
      const shown: MessageView[] = [];
      let cursor = after;
      let isAny = false;
      for (;;) {
        const found = await page(cursor).catch((error: unknown) => {
          // The daemon may be restarting.
          if (follow && error instanceof DaemonUnreachable) return null;
          throw error;
        });
        for (const message of found?.messages ?? []) {
          isAny = true;
          if (!json) process.stdout.write(foldText(messageText(message), process.stdout, 3));
          else if (follow) process.stdout.write(`${sanitizedJson(message)}\n`);
          else shown.push(message);
        }
        // Acknowledged only after printing: a reader that is killed in between gets the message again.
        if (ack && found && found.cursor > cursor) await call("ack_messages", { tag, up_to: found.cursor });
        cursor = found?.cursor ?? cursor;
        if (found && found.messages.length > 0) continue;
        if (!follow) break;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      // On a terminal, no output would look like a failure; programs get no text.
      if (!json && !isAny && process.stderr.isTTY) process.stderr.write("No messages.\n");
      if (json && !follow) process.stdout.write(`${sanitizedJson({ messages: shown, cursor })}\n`);
    });
  messages
    .command("send")
    .summary("Send a message to an inbox")
    .argument("[text...]", "text of the message")
    .option("--tag <tag>", "tag of the inbox (default: watchdog.orchestrator_tag)", parseInbox)
    .option("--type <type>", "type of the message", parseMessageType, "note")
    .option("--payload <json>", "a JSON object instead of a text", parseObject)
    .action(async (words, { type, payload }, command) => {
      const { tag } = command.optsWithGlobals() as { tag?: string };
      if (words.length === 0 && payload === undefined) command.error("error: give a text or --payload");
      const target = { tag: tag ?? orchestratorTag() };
      const body = payload ?? { text: words.join(" ") };
      const { cursor } = await call("send_message", { target, msg_type: type, payload: body });
      process.stdout.write(`Sent to ${sanitize(target.tag, 80)} (cursor ${cursor}).\n`);
    });
}

interface Page {
  messages: MessageView[];
  cursor: number;
}

const orchestratorTag = (): string => loadSettings().watchdog.orchestrator_tag;

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError("It must be a cursor, such as 17.");
  return number;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"step": 3}.');
}

/** Cursor, time, type, sender or worker, then the cause and the detail; below it the first suggested action. */
export function messageText(message: MessageView, now: number = Date.now()): string {
  const { cursor, msg_type, source, from, at, acked_at, acked_by, payload } = message;
  const said = (payload ?? {}) as Record<string, unknown>;
  const text = (key: string): string => (typeof said[key] === "string" ? sanitize(said[key], 400) : "");
  const who = text("worker_name") || from;
  const key = DETAIL.find((name) => text(name) !== "");
  const what =
    key === undefined ? otherText(source, said) : `${key === "last_output_preview" ? "last output: " : ""}${text(key)}`;
  const cause = text("cause");
  const about = [cause === "" ? "" : `(${cause})`, what].filter((part) => part !== "").join(" ");
  return `${cursor}  ${localTime(at, now)}  ${sanitize(msg_type, 64)}  ${sanitize(who, 80)}${about === "" ? "" : `  ${about}`}${ackText(acked_at, acked_by)}\n${suggestionText(message)}`;
}

/** Only rouse itself suggests commands: a client could send any. Messages of an older rouse have none. */
function suggestionText({ source, acked_at, payload }: MessageView): string {
  if (source !== "rouse" || acked_at !== null) return "";
  const [first] = (payload as Partial<Pick<typeof payload, "suggested_actions">>).suggested_actions ?? [];
  return first ? `   -> ${sanitize(first.what, 100)}: ${first.command.map(shellWord).join(" ")}\n` : "";
}

const ackText = (at: string | null, by: string | null): string =>
  at === null ? "" : `  (acknowledged${by === null ? "" : ` by ${sanitize(by, 80)}`})`;

/** Clients may send any object: without a text it is shown as JSON. Messages of rouse have no further text. */
const otherText = (source: MessageView["source"], payload: object): string =>
  source === "rouse" ? "" : sanitize(JSON.stringify(payload), 400);

const DETAIL = [
  "prompt_preview",
  "error_context",
  "completion_message",
  "reason",
  "last_output_preview",
  "text",
] as const;
