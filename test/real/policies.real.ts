/**
 * Real clients with a problem under the default policy, with permission: from the problem to the end of the work.
 */
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { Care } from "./care.js";
import { conversationsOf, kill } from "./case.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import { CODEX } from "./clients/codex.js";
import { type Installed, install } from "./clients/install.js";
import { PROMPT, type Scenario } from "./scenarios.js";
import type { Way } from "./seats.js";
import type { Step } from "./server/script.js";

const CLIENTS = [CLAUDE_CODE, CODEX];
const installed = new Map<string, Installed>();

beforeAll(async () => {
  for (const client of CLIENTS) installed.set(client.name, await install(client));
});

const MINUTE = 60_000;
/** The waits of the default policy, on a busy machine. */
const LIMIT_MS = 12 * MINUTE;
const HANG_MS = 12 * MINUTE;
const KILL_MS = 6 * MINUTE;
/** Longer than a user counts as present after a key. */
const DIALOG_MS = 150_000;
const RESET_S = 50;

const FIRST_WORDS = "I'll look at the code first.";
const check: readonly Step[] = [
  { do: "text", text: FIRST_WORDS, ms: 300 },
  { do: "call", tool: "read", path: "calc.mjs" },
];
const half: Step = { do: "text", text: "The function subtracts where it must add. I will change", ms: 1000 };
const test: readonly Step[] = [
  { do: "text", text: "Now the test.", ms: 500 },
  { do: "call", tool: "shell", command: "node slow-test.mjs 1" },
];
const done: readonly Step[] = [{ do: "text", text: "The sign in `add` was wrong. It is mended.", ms: 800 }];

const LIMIT: Scenario = {
  name: "limit",
  script: [check, [{ do: "fail", kind: "usage_limit", resetsInS: RESET_S, holds: true }], test, done],
  mood: { account: "plan" },
  expects: [],
};
/** Pings keep the client's own time-out from expiring: only rouse ends such a request. */
const HANG: Scenario = {
  name: "hang",
  script: [check, [half, { do: "stall", pingMs: 5000 }], test, done],
  expects: [],
};
const SILENT: Scenario = { name: "silent", script: [check, [half, { do: "stall" }], test, done], expects: [] };
const COMMAND = "node slow-test.mjs 1 > result.txt";
const ASKS: Scenario = {
  name: "asks",
  script: [check, [{ do: "call", tool: "shell", command: COMMAND, asks: true }], done],
  mood: { asks: true },
  expects: [],
};

/** The text and actions before the problem are in the request after it. */
const CONTEXT = [PROMPT, FIRST_WORDS, "a - b"];

describe.concurrent.each(CLIENTS.map(({ name }) => name))("%s", (client) => {
  const care = (scenario: Scenario, way: Way, body: (care: Care) => Promise<void>): Promise<void> =>
    Care.with({ installed: installed.get(client) as Installed, scenario, way }, body);
  const WAYS = ["spawn", "watch"] as const;

  it.each(WAYS)("in a hang that nothing else ends (%s) is interrupted, nudged, and finishes", (way) =>
    care(HANG, way, async (one) => {
      await one.finishes(HANG_MS);
      const incident = await one.incident("the end of the incident", ({ phase }) => phase === "recovered", 2 * MINUTE);
      expect(incident).toMatchObject({ problem: "silent_stream", policy: "default" });
      expect(incident.actions).toMatchObject([
        { do: "interrupt", result: "done", proven: true },
        { do: "nudge", result: "done", proven: true },
      ]);
      const stalledAt = one.server.lastOf("stall") as number;
      expect(Date.parse(incident.actions[0]?.at ?? "") - stalledAt).toBeGreaterThan(330_000);
      for (const words of CONTEXT) expect(one.server.conversation[2]).toContain(words);
    }),
  );

  it("in a silence that ends by itself (spawn) is left alone, and finishes", () =>
    care(SILENT, "spawn", async (one) => {
      await one.finishes(HANG_MS);
      const incident = await one.incident("the end of the incident", ({ phase }) => phase === "recovered", 2 * MINUTE);
      expect(incident).toMatchObject({ problem: "silent_stream", actions: [] });
    }));

  it.each(WAYS)("at a usage limit (%s) is left alone until the reset, and finishes", (way) =>
    care(LIMIT, way, async (one) => {
      await one.seen.says("rate_limited/limit", 0, 60);
      const failedAt = one.server.lastOf("fail") as number;
      const resetsAt = failedAt + RESET_S * 1000;
      expect(Math.abs(Date.parse(one.seen.view?.until ?? "") - resetsAt)).toBeLessThan(MINUTE);
      await one.finishes(LIMIT_MS);
      const early = one.server.actions.filter(({ did, at }) => did === "request" && at > failedAt && at < resetsAt);
      expect(early).toEqual([]);
      const incident = await one.incident("the end of the incident", ({ phase }) => phase === "recovered", 2 * MINUTE);
      expect(incident).toMatchObject({ problem: "rate_limited", policy: "default" });
      // Claude Code continues by itself; Codex needs a nudge.
      const reported = client === "claude" ? [] : [{ do: "nudge", result: "done", proven: true }];
      expect(incident.actions).toMatchObject(reported);
      for (const { at } of incident.actions) expect(Date.parse(at)).toBeGreaterThan(resetsAt);
      for (const words of CONTEXT) expect(one.server.conversation[2]).toContain(words);
    }),
  );

  it("killed (spawn) is resumed in its conversation with its context, and finishes", () =>
    care(SILENT, "spawn", async (one) => {
      await one.seen.says("working", 0, 60);
      await stalls(one);
      const before = { session: one.seen.view?.session, conversations: conversationsOf(one.home, one.one) };
      await kill(one.home, one.name, one.one.installed.folder);
      await one.finishes(KILL_MS);
      const incident = await one.incident("the end of the incident", ({ phase }) => phase === "recovered", 2 * MINUTE);
      expect(incident).toMatchObject({ problem: "crash", policy: "default" });
      expect(incident.actions).toMatchObject([{ do: "resume", result: "done" }]);
      expect(one.seen.view?.session).not.toBe(before.session);
      expect(conversationsOf(one.home, one.one)).toEqual(before.conversations);
      for (const words of CONTEXT) expect(one.server.conversation[2]).toContain(words);
    }));

  it("killed in a pane that rouse only watches is reported, and nothing is typed into the shell after it", () =>
    care(SILENT, "watch", async (one) => {
      await stalls(one);
      const keys = await one.keys();
      await kill(one.home, one.name, one.one.installed.folder);
      const incident = await one.incident("an escalation", ({ phase }) => phase === "escalated", 3 * MINUTE);
      expect(incident).toMatchObject({ problem: "gone", actions: [] });
      expect(keys()).toEqual([]);
      expect(one.server.conversation).toHaveLength(2);
    }));

  it.each(WAYS)("with an open permission dialog (%s) gets no key, and the question is reported", (way) =>
    care(ASKS, way, async (one) => {
      await one.seen.says("needs_input/permission", 0, 60);
      const keys = await one.keys();
      const screen = await one.seat.screen();
      await setTimeout(DIALOG_MS);
      const incident = await one.incident("an escalation", ({ phase }) => phase === "escalated", MINUTE);
      expect(incident).toMatchObject({ problem: "needs_input", actions: [], policy: "default", allowed: true });
      expect(keys()).toEqual([]);
      expect(one.seen.now).toBe("needs_input/permission");
      expect(screen).toContain(COMMAND);
      expect(await one.seat.screen()).toContain(COMMAND);
      expect(one.server.conversation).toHaveLength(2);
      const messages = await one.messages();
      expect(messages.map(({ msg_type }) => msg_type)).toEqual(["worker.needs_input"]);
      expect(messages[0]?.payload).toMatchObject({
        prompt_type: "permission",
        prompt_preview: expect.stringContaining(COMMAND),
      });
    }),
  );
});

async function stalls({ server, seen }: Care): Promise<void> {
  while (server.lastOf("stall") === null) await setTimeout(100);
  await seen.says("working", server.lastOf("stall") as number, 30);
}
