/** Whatever an agent writes, put together at random out of what receivers give a meaning to. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { discordPayload } from "../../src/channels/discord.js";
import { ntfyPayload } from "../../src/channels/ntfy.js";
import { slackPayload } from "../../src/channels/slack.js";
import { telegramPayload } from "../../src/channels/telegram.js";
import type { Notice } from "../../src/core/alert/alert.js";
import { say } from "../../src/core/say.js";
import { FORGED, notice } from "../support/receivers.js";

const RUNS = process.env.ROUSE_FULL ? 5000 : 500;
const PIECES = [
  "<",
  ">",
  "!",
  "@",
  "#",
  "|",
  "`",
  "```",
  "*",
  "_",
  "~",
  "[",
  "](",
  ")",
  "://",
  "http",
  "evil.example",
  "&",
  "\\",
  "\n",
];
const text = fc
  .array(
    fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom(...FORGED), fc.string({ unit: "grapheme", maxLength: 20 })),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(""));
/** As the core makes it. */
const of = (title: string, line: string): Notice =>
  notice({
    title: say(`Watchdog: ${title}`, 140),
    lines: [say(line, 400), say(line, 4000)].filter((one) => one !== ""),
  });
const holds = (check: (made: Notice) => void): void =>
  fc.assert(
    fc.property(text, text, (title, line) => check(of(title, line))),
    { numRuns: RUNS },
  );

describe("text of an agent", () => {
  it("is neither a mention nor a link nor markup in Slack", () => {
    holds((made) => {
      const { text: line, blocks } = slackPayload(made) as {
        text: string;
        blocks: { text?: { type: string; text: string } }[];
      };
      expect(line).not.toMatch(/[<>]/);
      expect(line).not.toMatch(/&(?!amp;|lt;|gt;|\S{0,4}…)/);
      for (const block of blocks) expect(block.text?.type ?? "plain_text").toBe("plain_text");
      expect(JSON.stringify(blocks)).not.toContain("://");
    });
  });

  it("neither leaves its block nor is marked up in Discord", () => {
    holds((made) => {
      const { content } = discordPayload(made) as { content: string };
      expect(content.length).toBeLessThanOrEqual(2000);
      expect(content.match(/```/g) ?? []).toHaveLength(made.lines.length > 0 ? 2 : 0);
      const [head = ""] = content.split("\n```");
      expect(head.replace(/\\./gu, "")).not.toMatch(/[*_~`|[\]()<>@#\\]/);
    });
  });

  it("is within the limits of ntfy, and no link", () => {
    holds((made) => {
      const { title, message } = ntfyPayload(made, "t") as { title: string; message: string };
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
      expect(Buffer.byteLength(title)).toBeLessThanOrEqual(250);
      expect(title + message).not.toContain("://");
    });
  });

  it("is all inside of code in Telegram", () => {
    holds((made) => {
      const sent = telegramPayload(made, "1") as { text: string; entities: { offset: number; length: number }[] };
      expect(sent.text.length).toBeLessThanOrEqual(4096);
      const [head, body] = sent.entities;
      expect(head).toMatchObject({ offset: 0 });
      if (body) expect(body.offset + body.length).toBe(sent.text.length);
      expect(sent.text[head?.length ?? 0] ?? "\n").toBe("\n");
    });
  });
});
