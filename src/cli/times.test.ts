import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessageView } from "../api/operations/records.js";
import { alertsText } from "./commands/alert.js";
import { messageText } from "./commands/messages.js";
import { tokensText } from "./commands/token.js";

const NOW = Date.parse("2026-11-15T10:00:00Z");
const AT = "2026-11-15T09:05:00.000Z";
const WIDE = { columns: 200 };

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = "America/New_York";
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const message = (payload: object, from = "api") => ({
  cursor: 7,
  key: "k",
  source: "client" as const,
  msg_type: "note",
  target: { tag: "team" },
  from,
  at: AT,
  acked_at: null,
  acked_by: null,
  payload,
});

describe("a list on the command line", () => {
  it("of tokens, alerts or messages shows local times", () => {
    const alert = { at: AT, channel: "ops", state: "sent", attempts: 1, title: "Watchdog: x", error: null };
    expect(
      tokensText([{ name: "mine", rights: ["read"], agents: [], inboxes: [], created_at: AT, digest: "d" }], WIDE, NOW),
    ).toContain(" 04:05");
    expect(alertsText([alert as Parameters<typeof alertsText>[0][number]], WIDE, NOW)).toContain("\n04:05 ");
    expect(messageText(message({ text: "hello" }), NOW)).toBe("7  04:05  note  api  hello\n");
  });
});

describe("a message on the command line", () => {
  it("of a client without a text is shown as JSON", () => {
    expect(messageText(message({ a: 1 }), NOW)).toBe('7  04:05  note  api  {"a":1}\n');
  });

  it("of rouse ends with the first suggested command, as words for a shell, until it is acknowledged", () => {
    const suggested_actions = [
      { what: "answer it", tool: null, arguments: {}, command: ["rouse", "type", "my web", "it's fine"] },
      { what: "read its screen", tool: null, arguments: {}, command: ["rouse", "logs", "my web"] },
    ];
    const payload = { worker_name: "my web", cause: "needs_input", prompt_preview: "Go on?", suggested_actions };
    const own = { ...message(payload, "rouse"), source: "rouse" } as unknown as Parameters<typeof messageText>[0];
    const line = "7  04:05  note  my web  (needs_input) Go on?";
    expect(messageText(own, NOW)).toBe(`${line}\n   -> answer it: rouse type 'my web' 'it'\\''s fine'\n`);
    expect(messageText({ ...own, acked_at: AT }, NOW)).toBe(`${line}  (acknowledged)\n`);
  });

  it("of a client suggests no command", () => {
    const suggested_actions = [{ what: "run it", tool: null, arguments: {}, command: ["rm", "-r", "/"] }];
    expect(messageText(message({ text: "hello", suggested_actions }), NOW)).toBe("7  04:05  note  api  hello\n");
  });

  it("of rouse without a text is not shown as JSON", () => {
    const notice = { ...message({ worker_name: "web", cause: "api", done: [] }, "rouse"), source: "rouse" };
    expect(messageText(notice as unknown as MessageView, NOW)).toBe("7  04:05  note  web  (api)\n");
  });
});
