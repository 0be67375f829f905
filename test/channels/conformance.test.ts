/**
 * One suite for every channel: its messages fit the receiver's rules, and no text of an agent becomes more than
 * text.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Channel } from "../../src/channels/channel.js";
import { makeChannel } from "../../src/channels/index.js";
import type { ChannelSettings } from "../../src/config/channels.js";
import type { Notice } from "../../src/core/notices/alert.js";
import { forOutput } from "../../src/core/text/for-output.js";
import { UNSAFE } from "../support/evil.js";
import { FORGED, HttpReceiver, notice, SmtpReceiver } from "../support/receivers.js";

const http = new HttpReceiver();
const smtp = new SmtpReceiver();
let folder: string;
let base: string;
let port: number;
const step: string[] = [];

/** Receivers whose answer is checked, by the end of their path. */
const ANSWERS: Readonly<Record<string, string>> = { "/message": '{"id":7,"appid":3,"message":"…","title":"…"}' };
const accept: HttpReceiver["behave"] = ({ path }) => ({
  status: 200,
  body: Object.entries(ANSWERS).find(([end]) => path.endsWith(end))?.[1] ?? "ok",
});

beforeAll(async () => {
  http.behave = accept;
  folder = mkdtempSync(join(tmpdir(), "rouse-channels-"));
  base = await http.start();
  port = await smtp.start();
  // This `notify-send` writes its arguments to a file, one per line.
  const recorder = join(folder, "notify-send");
  writeFileSync(recorder, `#!/bin/sh\nprintf '%s\\036' "$@" > "${folder}/shown"\ncat > /dev/null\n`);
  chmodSync(recorder, 0o755);
  writeFileSync(join(folder, "taker"), `#!/bin/sh\ncat > "${folder}/taken"\n`);
  chmodSync(join(folder, "taker"), 0o755);
  process.env.PATH = `${folder}:${process.env.PATH}`;
});
afterAll(async () => {
  await http.stop();
  await smtp.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  // An aborted request may still be under way.
  await http.idle();
  http.received.length = 0;
  http.behave = accept;
  smtp.mails.length = 0;
  smtp.answer = "250 taken";
  step.length = 0;
});

const COMMON = { severity: "warning", quiet: true, digest: false, allow_private: true } as const;
const TOKEN = "123456:AAabcdefghijklmnopqrstuvwxyz012345";

interface Kind {
  settings: () => ChannelSettings;
  /** The last message as its reader sees it. */
  arrived: () => string;
}

const body = (): Record<string, unknown> => JSON.parse(http.received.at(-1)?.body ?? "{}") as Record<string, unknown>;

const KINDS: Readonly<Record<string, Kind>> = {
  slack: {
    settings: () => ({ ...COMMON, name: "x", type: "slack", url: `${base}/s` }),
    arrived: () => JSON.stringify(body()),
  },
  discord: {
    settings: () => ({ ...COMMON, name: "x", type: "discord", url: `${base}/d` }),
    arrived: () => String(body().content),
  },
  ntfy: {
    settings: () => ({ ...COMMON, name: "x", type: "ntfy", url: base, topic: "alarms", token: "tk_1" }),
    arrived: () => `${String(body().title)}\n${String(body().message)}`,
  },
  gotify: {
    settings: () => ({ ...COMMON, name: "x", type: "gotify", url: base, token: "A.gotify-1" }),
    arrived: () => `${String(body().title)}\n${String(body().message)}`,
  },
  telegram: {
    settings: () => ({ ...COMMON, name: "x", type: "telegram", url: base, token: TOKEN, chat: "-42" }),
    arrived: () => String(body().text),
  },
  webhook: {
    settings: () => ({ ...COMMON, name: "x", type: "webhook", url: `${base}/w`, secret: "s3cret" }),
    arrived: () => [body().title, ...(body().lines as string[])].join("\n"),
  },
  email: {
    settings: () => ({
      ...COMMON,
      name: "x",
      type: "email",
      host: "127.0.0.1",
      port,
      from: "rouse@example.org",
      to: ["me@example.org"],
    }),
    arrived: () => smtp.mails.at(-1) ?? "",
  },
  desktop: {
    settings: () => ({ ...COMMON, name: "x", type: "desktop" }),
    arrived: () => readFileSync(join(folder, "shown"), "utf8"),
  },
  terminal: { settings: () => ({ ...COMMON, name: "x", type: "terminal" }), arrived: () => step.at(-1) ?? "" },
  command: {
    settings: () => ({ ...COMMON, name: "x", type: "command", command: [join(folder, "taker"), "--fixed"] }),
    arrived: () => readFileSync(join(folder, "taken"), "utf8"),
  },
};

const make = (kind: string): Channel =>
  makeChannel((KINDS[kind] as Kind).settings(), {
    ring: (text) => {
      step.push(text);
      return Promise.resolve(1);
    },
  });
const send = (kind: string, what: Notice) => make(kind).send(what, AbortSignal.timeout(60_000));
/** As the core creates it: every text is sanitized. */
const forged = (text: string): Notice =>
  notice({
    title: forOutput(`Watchdog: ${text}`, 140),
    lines: [forOutput(`question: ${text}`, 400), forOutput(text, 4000)],
  });

describe.each(Object.keys(KINDS))("the channel %s", (kind) => {
  it("delivers the notice", async () => {
    expect(await send(kind, notice())).toEqual({ result: "sent" });
    const arrived = (KINDS[kind] as Kind).arrived().replace(/=\r\n/g, "");
    expect(arrived).toContain("api is waiting for your answer");
    if (kind !== "terminal") expect(arrived).toContain("Run npm test?");
  });

  it("lets no text of an agent become a control byte, an extra line break or a second message", async () => {
    for (const text of FORGED) {
      expect(await send(kind, forged(text))).toEqual({ result: "sent" });
      expect(UNSAFE.test((KINDS[kind] as Kind).arrived().replace(/[\r\u001e]/g, ""))).toBe(false);
    }
    expect(smtp.mails).toHaveLength(kind === "email" ? FORGED.length : 0);
  });

  it("shows no secret part of its address", () => {
    const { to, name, type } = make(kind);
    const shown = JSON.stringify({ to, name, type });
    for (const secret of [TOKEN, "tk_1", "A.gotify-1", "s3cret", "/s", "/d"]) expect(shown).not.toContain(`${secret}"`);
  });
});

const HTTP = ["slack", "discord", "ntfy", "gotify", "telegram", "webhook"];

describe.each(HTTP)("the receiver of %s", (kind) => {
  it.each([
    [500, "retry"],
    [503, "retry"],
    [401, "retry"],
    [404, "retry"],
    [400, "refused"],
    [413, "refused"],
    [302, "refused"],
  ])("that answers %i counts the notice as %s", async (status, result) => {
    http.behave = () => ({ status, headers: { location: `${base}/elsewhere` }, body: "s3cret of the receiver" });
    const sent = await send(kind, notice());
    expect(sent.result).toBe(result);
    expect(JSON.stringify(sent)).not.toContain("s3cret of");
    expect(http.received).toHaveLength(1);
  });

  it("that asks for a delay is called again after it, up to an hour", async () => {
    http.behave = () => ({ status: 429, headers: { "retry-after": "7" } });
    expect(await send(kind, notice())).toMatchObject({ result: "retry", afterMs: 7000 });
    http.behave = () => ({ status: 429, body: '{"ok":false,"parameters":{"retry_after": 3}}' });
    expect(await send(kind, notice())).toMatchObject({ result: "retry", afterMs: 3000 });
    http.behave = () => ({ status: 503, headers: { "retry-after": "99999999" } });
    expect(await send(kind, notice())).toMatchObject({ result: "retry", afterMs: 3_600_000 });
  });

  it("that cuts the connection, or answers without end, does not block the channel", async () => {
    http.behave = () => "reset";
    expect(await send(kind, notice())).toMatchObject({ result: "retry" });
    http.behave = () => ({ status: 500, body: "x".repeat(5_000_000) });
    expect(await send(kind, notice())).toMatchObject({ result: "retry" });
    http.behave = () => "hang";
    const patience = new AbortController();
    setTimeout(() => patience.abort(), 200);
    expect(await make(kind).send(notice(), patience.signal)).toMatchObject({ result: "retry" });
  });
});

describe("a program as a channel", () => {
  it("gets the notice as JSON on its input, and none of it in its arguments", async () => {
    await send("command", forged('"; touch /tmp/owned; "'));
    expect(JSON.parse(readFileSync(join(folder, "taken"), "utf8"))).toMatchObject({ key: "k1", agents: ["api"] });
  });

  it("is refused if it does not exist, and retried if it fails", async () => {
    const missing = makeChannel(
      { ...COMMON, name: "x", type: "command", command: ["/nowhere/at/all"] },
      { ring: () => Promise.resolve(0) },
    );
    expect(await missing.send(notice(), AbortSignal.timeout(60_000))).toMatchObject({ result: "refused" });
    const failing = makeChannel(
      { ...COMMON, name: "x", type: "command", command: ["false"] },
      { ring: () => Promise.resolve(0) },
    );
    expect(await failing.send(notice(), AbortSignal.timeout(60_000))).toMatchObject({ result: "retry" });
  });

  it("for the desktop treats no text as an option or as markup", async () => {
    await send("desktop", forged("--icon=/etc/passwd <b>&"));
    const shown = readFileSync(join(folder, "shown"), "utf8").split("\u001e");
    expect(shown.indexOf("--")).toBe(2);
    expect(shown[4]).toContain("&lt;b&gt;&amp;");
  });
});

describe("a mail", () => {
  it("has only the headers that rouse set", async () => {
    await send("email", forged("Subject: owned\r\nBcc: victim@evil.example"));
    const [head = ""] = (smtp.mails.at(-1) ?? "").split("\r\n\r\n");
    expect(head).not.toMatch(/^Bcc:/im);
    expect(head.match(/^Subject:/gim)).toHaveLength(1);
    expect(head).toContain("Message-ID: <k1@rouse.invalid>");
  });

  it("is refused if the server rejects it permanently, else retried", async () => {
    smtp.answer = "550 no such user";
    expect(await send("email", notice())).toMatchObject({ result: "refused" });
    smtp.answer = "451 later";
    expect(await send("email", notice())).toMatchObject({ result: "retry" });
  });
});

describe("the format", () => {
  it("for Slack is plain text within its limits, without active mentions and links", async () => {
    for (const text of FORGED) {
      await send("slack", forged(text));
      const {
        text: line,
        blocks,
        mrkdwn,
        link_names,
      } = body() as {
        text: string;
        mrkdwn: boolean;
        link_names: boolean;
        blocks: { type: string; text?: { type: string; text: string } }[];
      };
      expect({ mrkdwn, link_names }).toEqual({ mrkdwn: false, link_names: false });
      expect(line).not.toMatch(/[<>]|:\/\//);
      expect(line.length).toBeLessThanOrEqual(3000);
      for (const block of blocks.filter((one) => one.text)) {
        expect(block.text?.type).toBe("plain_text");
        expect(block.text?.text.length).toBeLessThanOrEqual(block.type === "header" ? 150 : 3000);
        expect(block.text?.text).not.toMatch(/:\/\//);
      }
    }
  });

  it("for Discord is at most 2,000 characters, without parsed mentions, inside a block that text cannot close", async () => {
    for (const text of FORGED) {
      await send("discord", forged(text));
      const { content, allowed_mentions } = body() as { content: string; allowed_mentions: unknown };
      expect(allowed_mentions).toEqual({ parse: [] });
      expect(content.length).toBeLessThanOrEqual(2000);
      expect(content.split("```")).toHaveLength(3);
      const [head = ""] = content.split("\n```");
      // Every character that could start markup has a backslash before it.
      expect(head.replace(/\\./gu, "")).not.toMatch(/[*_~`|[\]()<>@#]/);
    }
  });

  it("for ntfy is at most 4,096 bytes, with the user's topic and key, without Markdown and links", async () => {
    for (const text of FORGED) {
      await send("ntfy", forged(text));
      const sent = body() as { topic: string; message: string; title: string; sequence_id: string };
      expect(sent).toMatchObject({ topic: "alarms", sequence_id: "k1" });
      expect(sent).not.toHaveProperty("markdown");
      expect(Buffer.byteLength(sent.message)).toBeLessThanOrEqual(4096);
      expect(`${sent.title} ${sent.message}`).not.toMatch(/:\/\//);
    }
    expect(http.received.at(-1)?.headers.authorization).toBe("Bearer tk_1");
  });

  it("for Gotify is plain text within its limits without a link, with the key as an extra and the token only in its header", async () => {
    for (const text of FORGED) {
      await send("gotify", forged(text));
      const sent = body() as { message: string; title: string; priority: number; extras: unknown };
      expect(sent).toMatchObject({ priority: 8 });
      expect(sent.extras).toEqual({
        "client::display": { contentType: "text/plain" },
        "rouse::alert": { key: "k1" },
      });
      expect(Buffer.byteLength(sent.message)).toBeLessThanOrEqual(4000);
      expect(`${sent.title} ${sent.message}`).not.toMatch(/:\/\//);
    }
    const { headers, path, body: raw } = http.received.at(-1) as (typeof http.received)[number];
    expect(headers["x-gotify-key"]).toBe("A.gotify-1");
    expect(path + raw).not.toContain("A.gotify-1");
  });

  it("for Telegram is at most 4,096 characters without a parse mode, every character in an entity that is not a link", async () => {
    for (const text of FORGED) {
      await send("telegram", forged(text));
      const sent = body() as { text: string; entities: { type: string; offset: number; length: number }[] };
      expect(sent).not.toHaveProperty("parse_mode");
      expect(sent.text.length).toBeLessThanOrEqual(4096);
      const covered = sent.entities.reduce((sum, { length }) => sum + length, 0);
      expect(sent.text.length - covered).toBeLessThanOrEqual(1);
      expect(sent.entities.every(({ type }) => type === "code" || type === "pre")).toBe(true);
    }
    expect(http.received.at(-1)?.path).toBe(`/bot${TOKEN}/sendMessage`);
  });

  it("for a webhook has the key in a header and in the body, and a signature over time and body", async () => {
    const { signatureOf } = await import("../../src/channels/webhook.js");
    await send("webhook", notice());
    const { headers, body: sent } = http.received.at(-1) as (typeof http.received)[number];
    const timestamp = String(headers["x-rouse-timestamp"]);
    expect(headers["x-rouse-signature"]).toBe(signatureOf("s3cret", timestamp, sent));
    expect(headers["x-rouse-signature"]).not.toBe(signatureOf("s3cret", timestamp, `${sent} `));
    expect(headers["idempotency-key"]).toBe("k1");
    expect(JSON.parse(sent)).toMatchObject({ key: "k1", type: "watchdog", event: "opened" });
  });
});

describe("Gotify", () => {
  const gotifyAt = (url: string) =>
    makeChannel(
      { ...COMMON, name: "x", type: "gotify", url, token: "A.gotify-1" },
      { ring: () => Promise.resolve(0) },
    ).send(notice(), AbortSignal.timeout(60_000));

  it.each([
    ["", "/message"],
    ["/", "/message"],
    ["/push/", "/push/message"],
    ["/push/message", "/push/message"],
    ["/message?token=another", "/message"],
  ])("configured as the server's address followed by %j gets the alert at %s", async (given, path) => {
    expect(await gotifyAt(`${base}${given}`)).toEqual({ result: "sent" });
    expect(http.received.map((one) => one.path)).toEqual([path]);
  });

  it.each([
    ["info", 2],
    ["warning", 5],
    ["critical", 8],
  ] as const)("gets an alert of severity %s with priority %i", async (severity, priority) => {
    await send("gotify", notice({ severity }));
    expect(body().priority).toBe(priority);
  });

  it("gets the end of an incident as a message of its own", async () => {
    await send("gotify", notice({ edge: "resolved", severity: "info", title: "Watchdog: api recovered", lines: [] }));
    expect(body()).toMatchObject({ title: "Watchdog: api recovered", message: "resolved", priority: 2 });
  });

  it.each([
    [401, "answered 401: wrong token; use the token of an application (in Gotify: Apps), not of a client"],
    [403, "answered 403: the token may not send; use the token of an application (in Gotify: Apps), not of a client"],
    [404, "answered 404: no Gotify server at this address; url must be the address at which you open Gotify"],
    [200, "answered 200: this is not a Gotify server; url must be the address at which you open Gotify"],
  ])("that answers %i with a web page is reported with the cause and what to do", async (status, reason) => {
    http.behave = () => ({ status, body: "<html>A.gotify-1</html>" });
    const sent = await gotifyAt(base);
    expect(sent).toMatchObject({ result: "retry", reason: expect.stringContaining(reason) });
    expect(JSON.stringify(sent)).not.toContain("A.gotify-1");
  });

  it("that answers with another JSON object than Gotify counts as delivered, so that no alert is repeated", async () => {
    http.behave = () => ({ status: 200, body: '{"ok":true}' });
    expect(await gotifyAt(base)).toEqual({ result: "sent" });
  });
});

describe("a receiver that cannot be reached", () => {
  it("because no server listens there is reported with what to check", async () => {
    const gone = new HttpReceiver();
    const url = await gone.start();
    await gone.stop();
    const channel = makeChannel({ ...COMMON, name: "x", type: "slack", url }, { ring: () => Promise.resolve(0) });
    expect(await channel.send(notice(), AbortSignal.timeout(60_000))).toEqual({
      result: "retry",
      reason: `${new URL(url).host} cannot be reached: no server listens there; check that it runs, and the port in the address (ECONNREFUSED)`,
    });
  });

  it("because it speaks no TLS is reported with what to check", async () => {
    const url = base.replace("http:", "https:");
    const channel = makeChannel({ ...COMMON, name: "x", type: "slack", url }, { ring: () => Promise.resolve(0) });
    expect(await channel.send(notice(), AbortSignal.timeout(60_000))).toMatchObject({
      result: "retry",
      reason: expect.stringContaining("no TLS there; check the port"),
    });
  });
});
