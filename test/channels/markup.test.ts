/**
 * Random text from fragments that receivers interpret, sent through each channel and parsed by its receiver's own
 * rules: none of it becomes a mention, a link, markup, a header, an option or a second line.
 */

import fc from "fast-check";
import { createTransport } from "nodemailer";
import { describe, expect, it } from "vitest";
import { desktopCommand } from "../../src/channels/desktop.js";
import { discordPayload } from "../../src/channels/discord.js";
import { messageOf } from "../../src/channels/email.js";
import { gotifyPayload } from "../../src/channels/gotify.js";
import { ntfyPayload } from "../../src/channels/ntfy.js";
import { slackPayload } from "../../src/channels/slack.js";
import { telegramPayload } from "../../src/channels/telegram.js";
import { terminalChannel } from "../../src/channels/terminal.js";
import { payloadOf } from "../../src/channels/webhook.js";
import type { Notice } from "../../src/core/notices/alert.js";
import { forOutput } from "../../src/core/text/for-output.js";
import { UNSAFE } from "../support/evil.js";
import { FORGED, notice } from "../support/receivers.js";

const TEXTS = 5000;
const PIECES = [
  ..."<>!@#|`*_~[]()&\\\n\r:;=\"'".split(""),
  "```",
  "](",
  "://",
  "http",
  "https://",
  "www.",
  "mailto:",
  "evil.example",
  "evil.com",
  "evil.com/login",
  "t.me/x",
  "192.0.2.1:80/x",
  "everyone",
  "channel",
  "here",
  "<!channel>",
  "<@U1>",
  "<https://evil.com|bank>",
  "&lt;!here&gt;",
  "&amp;",
  "</b>",
  "\u202e",
  "\u200b",
  "--",
  "Bcc: a@b.c",
];
const text = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.constantFrom(...FORGED.map((one) => one.slice(0, 600))) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));
/** As the core creates it. */
const of = (title: string, line: string): Notice =>
  notice({
    title: forOutput(`Watchdog: ${title}`, 140),
    lines: [forOutput(line, 400), forOutput(`question: ${line}`, 4000)].filter((one) => one !== ""),
  });
const NOTICES: readonly Notice[] = fc
  .sample(fc.tuple(text, text), { numRuns: TEXTS, seed: 20261115 })
  .map(([title, line]) => of(title, line));

/** Text that mail programs, phones and chats turn into links. */
const LINKS: readonly RegExp[] = [
  /[a-z][a-z0-9+.-]*:\/\/\S/i,
  /\bwww\.\S/i,
  /\b(?:mailto|tel|sms|tg|xmpp|slack|discord):\S/i,
  /[\w.+-]@[\w-]/,
  /[\p{L}\p{N}]\.(?:com|net|org|io|dev|app|co|ru|cn)(?![\p{L}\p{N}_])/iu,
  /(?<![\w/.~-])[a-z0-9-]+\.[a-z]{2,}\//i,
];
const linksIn = (shown: string): string[] => LINKS.flatMap((link) => link.exec(shown)?.[0] ?? []);
const MENTION = /@(?:everyone|here|channel|U\d)/;

/** The active parts of an alert at its receiver: none. */
const RULES: Readonly<Record<string, (made: Notice) => string[] | Promise<string[]>>> = {
  slack: (made) => {
    interface Plain {
      type: string;
      text: string;
      emoji: boolean;
    }
    const sent = slackPayload(made) as {
      text: string;
      mrkdwn: boolean;
      link_names: boolean;
      blocks: { type: string; text?: Plain; elements?: Plain[] }[];
    };
    const objects = sent.blocks.flatMap(({ text: one, elements = [] }) => [...(one ? [one] : []), ...elements]);
    return [
      ...(sent.mrkdwn || sent.link_names ? ["markup is on"] : []),
      // Slack's own rule: special text is between < and >, and all three characters are escaped elsewhere.
      ...(/[<>]|&(?!amp;|lt;|gt;|\S{0,4}…)/.exec(sent.text) ?? []),
      ...(MENTION.exec(sent.text) ?? []),
      ...objects.flatMap(({ type, emoji }) => (type === "plain_text" && !emoji ? [] : [type])),
      ...[sent.text, ...objects.map((one) => one.text)].flatMap(linksIn),
      ...(sent.blocks.some(({ type, text: one }) => (one?.text.length ?? 0) > (type === "header" ? 150 : 3000))
        ? ["too long"]
        : []),
    ];
  },
  discord: (made) => {
    const sent = discordPayload(made) as { content: string; allowed_mentions: { parse: string[] }; flags: number };
    const [head = "", ...fences] = sent.content.split("```");
    return [
      ...sent.allowed_mentions.parse,
      ...(sent.content.length > 2000 ? ["too long"] : []),
      // The body is between two fences, and every markup character before them has a backslash.
      ...(fences.length === (made.lines.length > 0 ? 2 : 0) ? [] : ["out of the block"]),
      ...(/[*_~`|[\]()<>@#\\]/.exec(head.replace(/\\./gu, "")) ?? []),
      ...linksIn(head.replace(/\\/gu, "")),
      ...((sent.flags & 4) === 4 ? [] : ["embeds are on"]),
    ];
  },
  ntfy: (made) => {
    const { title, message, ...rest } = ntfyPayload(made, "t") as { title: string; message: string };
    return [
      ...Object.keys(rest).filter((key) => !["topic", "priority", "tags", "sequence_id"].includes(key)),
      ...[title, message].flatMap(linksIn),
      ...(Buffer.byteLength(message) > 4096 || Buffer.byteLength(title) > 250 ? ["too long"] : []),
    ];
  },
  gotify: (made) => {
    const { title, message, extras, ...rest } = gotifyPayload(made) as {
      title: string;
      message: string;
      extras: Record<string, Record<string, unknown>>;
    };
    return [
      ...Object.keys(rest).filter((key) => key !== "priority"),
      ...Object.keys(extras).filter((key) => key !== "client::display" && key !== "rouse::alert"),
      ...(extras["client::display"]?.contentType === "text/plain" ? [] : ["markup is on"]),
      ...[title, message].flatMap(linksIn),
      ...(Buffer.byteLength(message) > 4000 || Buffer.byteLength(title) > 240 ? ["too long"] : []),
    ];
  },
  telegram: (made) => {
    const sent = telegramPayload(made, "1") as {
      text: string;
      entities: { type: string; offset: number; length: number }[];
    };
    const covered = new Set(
      sent.entities.flatMap(({ offset, length }) => Array.from({ length }, (_, at) => offset + at)),
    );
    return [
      ...("parse_mode" in sent ? ["parse_mode"] : []),
      ...(sent.text.length > 4096 ? ["too long"] : []),
      ...sent.entities.map(({ type }) => type).filter((type) => type !== "code" && type !== "pre"),
      // Outside of code there is only the end of the first line.
      ...Array.from(sent.text, (_, at) => at).flatMap((at) =>
        covered.has(at) || sent.text[at] === "\n" || sent.text[at] === undefined ? [] : [`at ${at}`],
      ),
    ];
  },
  webhook: (made) => {
    const body = JSON.stringify(payloadOf(made));
    const { title, lines } = JSON.parse(body) as { title: string; lines: string[] };
    return title === made.title && JSON.stringify(lines) === JSON.stringify(made.lines) ? [] : ["another text"];
  },
  command: (made) => (JSON.stringify(payloadOf(made)).includes("\n") ? ["a second line"] : []),
  desktop: (made) => {
    const [, , , dashes, title = "", body = ""] = desktopCommand(made, "linux");
    const [, , script = "", end, ...texts] = desktopCommand(made, "darwin");
    return [
      ...(dashes === "--" && end === "--" && texts.length === 2 ? [] : ["an option"]),
      ...(script.includes(made.title) ? ["a part of the script"] : []),
      // The body may be read as markup; a title never is.
      ...(/<|&(?!amp;|lt;|gt;)/.exec(body) ?? []),
      ...[title, body.replace(/&(?:amp|lt|gt);/g, " ")].flatMap(linksIn),
    ];
  },
  terminal: async (made) => {
    let step = "";
    const ring = (shown: string): Promise<number> => {
      step = shown;
      return Promise.resolve(1);
    };
    await terminalChannel("x", ring).send(made, new AbortController().signal);
    return [...(UNSAFE.exec(step) ?? []), ...(step.includes("\n") || step.length > 200 ? ["too long"] : [])];
  },
  email: async (made) => {
    const composed = await MAILS.sendMail(messageOf(made, { from: "rouse@example.org", to: ["me@example.org"] }));
    const mail = (composed.message as Buffer).toString("utf8");
    const [head = "", ...body] = mail.split("\r\n\r\n");
    const names = head
      .replace(/\r\n[ \t]/g, " ")
      .split("\r\n")
      .map((line) => line.split(":", 1)[0]?.toLowerCase());
    return [
      ...names.filter((name) => !HEADERS.has(name ?? "")).map(String),
      ...(names.length === new Set(names).size ? [] : ["a header twice"]),
      ...(/^Content-Type: text\/plain/m.test(head) ? [] : ["not plain"]),
      ...(composed.envelope.to.length === 1 ? [] : ["another receiver"]),
      ...linksIn(String(messageOf(made, { from: "", to: [] }).subject)),
      ...linksIn(String(messageOf(made, { from: "", to: [] }).text)),
      ...(body.length > 0 ? [] : ["no text"]),
    ];
  },
};
const MAILS = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
const HEADERS = new Set(
  "auto-submitted x-rouse-key from to subject message-id in-reply-to references date content-type content-transfer-encoding mime-version".split(
    " ",
  ),
);

describe("text of an agent", () => {
  it.each(Object.keys(RULES))(
    `is neither a mention nor a link nor markup in %s, in ${TEXTS} texts`,
    async (channel) => {
      const rule = RULES[channel] as (typeof RULES)[string];
      const alive: { texts: readonly string[]; found: string[] }[] = [];
      for (const made of NOTICES) {
        const found = await rule(made);
        if (found.length > 0) alive.push({ texts: [made.title, ...made.lines], found });
      }
      expect(alive.slice(0, 3)).toEqual([]);
    },
  );
});
