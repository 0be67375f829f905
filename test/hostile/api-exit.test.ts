/**
 * The output of the API contains no control byte and no secret, on any surface. Hostile agents with hostile names
 * print, report and ask everything they can; then every route, every tool and the stream of events are read byte
 * for byte.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../../src/api/mcp/tools.js";
import { ROUTES } from "../../src/api/routes.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { ApiClient, makeToken, openPort } from "../support/api.js";
import { CANARIES } from "../support/canaries.js";
import { openEvents } from "../support/event-reader.js";
import { EVIL, UNSAFE } from "../support/evil.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { CLIENTS } from "../support/mcp.js";

let home: Home;
let port: number;
let client: ApiClient;
const NAME = `evil\u001b]0;x\u0007\u202e\u009b`;
const HALVES = [CANARIES.slice(0, 45), CANARIES.slice(45)];

beforeAll(async () => {
  home = makeHome("on");
  port = await openPort(home);
  client = new ApiClient(port, await makeToken(home, "all", "read,report,report_any,control"));
  const socket = rousePaths(home.env).daemonSocket;
  const words = `${EVIL} ${CANARIES.slice(0, 8).join(" ")}`;
  const path = `/v1/sessions/${encodeURIComponent(NAME)}`;
  await askDaemon(socket, "PUT", path, {
    id: NAME,
    name: NAME,
    kind: "claude-code",
    tags: [EVIL.slice(0, 300), "worker"],
    origin: "spawn",
    command: ["claude"],
    workspace: `/w/${EVIL}`,
    task: words.slice(0, 3000),
    policy: null,
    pid: null,
    pidStart: null,
    startedAt: Date.now() - 60_000,
    hostSocket: null,
    pane: null,
    endedAt: null,
  });
  const at = Date.now() - 30_000;
  const reading = { reply: "r", lastLine: words, busy: false, moving: false, composer: "hidden" };
  const dialog = { prompt: "permission", question: words };
  await askDaemon(socket, "POST", `${path}/signals`, {
    from: 1,
    signals: [
      { kind: "tool_start", at, source: "stream", id: "1", tool: EVIL, class: "shell", call: "c", subject: words },
      { kind: "message", at, source: "stream", role: "assistant", digest: "d", closing: "question", preview: words },
      { kind: "error", at, source: "stream", cause: "api", final: true, digest: "e", text: words },
      { kind: "screen", at, source: "screen", reading: { ...reading, dialog, tail: [words, words] } },
      { kind: "prompt", at, source: "hook", open: true, prompt: "permission", question: words },
    ],
  });
  const script = join(home.path, "print.mjs");
  // In pieces: a screen shows a limited amount at a time.
  const lines = [EVIL, ...HALVES.flat()];
  writeFileSync(
    script,
    `process.stdout.write(${JSON.stringify(`${lines.join("\n")}\nend of it\n`)}); setInterval(() => {}, 1e6);`,
  );
  await rouse(home, ["spawn", "--name", "printer", "--tag", "worker", "--", process.execPath, script]);
  await until("the printer", async () =>
    (await client.get("/v1/agents/printer/pane?lines=500")).text.includes("end of it"),
  );
}, 120_000);

afterAll(async () => {
  await rouse(home, ["stop", "printer", "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

/** No unsafe character as sent, none after parsing, and no complete secret in either. */
function checkText(where: string, text: string): void {
  expect([where, UNSAFE.exec(text)?.[0]]).toEqual([where, undefined]);
  for (const found of strings(parsed(text))) expect([where, UNSAFE.exec(found)?.[0]]).toEqual([where, undefined]);
  expect([where, CANARIES.filter((canary) => text.includes(canary))]).toEqual([where, []]);
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [key, ...strings(one)]);
}

describe("the output of the API", () => {
  it("over HTTP contains no control byte and no secret, on any route", async () => {
    for (const agent of [NAME, "printer", `nobody ${EVIL.slice(0, 100)} ${CANARIES[0]}`]) {
      for (const { method, path } of ROUTES) {
        if (path === "/v1/events" || path === "/mcp") continue;
        const where = path.replace("{agent}", encodeURIComponent(agent));
        const query = path.endsWith("/pane") ? "?lines=500" : path === "/v1/summary" ? "?since=0" : "";
        const { text } =
          method === "get"
            ? await client.get(`${where}${query}`)
            : path.endsWith("/stop")
              ? { text: "" }
              : await client.post(where, {
                  agent,
                  state: "error",
                  text: `${EVIL} ${CANARIES[3]}`,
                  message: EVIL,
                  interval_secs: 1,
                });
        checkText(`${method} ${where}`, text);
      }
    }
    const { text } = await client.get(`/v1/agents/${encodeURIComponent(NAME)}/why`);
    expect(text).toContain("*****");
    // Long ones wrap over several rows of a terminal.
    const pane = (await client.get("/v1/agents/printer/pane?lines=500")).text;
    const long = CANARIES.filter((canary) => canary.length > 100);
    expect(long.length).toBeGreaterThan(5);
    expect(long.filter((canary) => pane.includes(canary.slice(-24)))).toEqual([]);
  });

  it("over MCP contains neither, with any tool", async () => {
    let calls = 0;
    for (const which of ["the current client over HTTP", "the current client on stdio"]) {
      const mcp = await (CLIENTS[which] as (typeof CLIENTS)[string])({ home, port, token: client.token });
      try {
        for (const { name } of TOOLS) {
          if (name === "close_pane" || name === "kill_session") continue;
          for (const pane_id of [NAME, "printer", EVIL.slice(0, 100)]) {
            const target = { tag: "orchestrator" };
            const payload = { text: EVIL, key: CANARIES[5], [EVIL.slice(0, 50)]: 1 };
            const { text } = await mcp.call(name, {
              pane_id,
              target,
              payload,
              text: EVIL,
              status: "error",
              message: EVIL,
            });
            checkText(`${which} ${name}`, text);
            calls++;
          }
        }
      } finally {
        await mcp.close();
      }
    }
    expect(calls).toBe(2 * 3 * (TOOLS.length - 2));
  });

  it("as events contains neither, and a client that reconnects gets the missed ones", async () => {
    const first = await openEvents(port, client.headers);
    let flips = 0;
    const flip = async (): Promise<void> => {
      const state = flips++ % 2 === 0 ? "error" : "needs_input";
      await client.post("/v1/report", { agent: "printer", state, text: `${EVIL} ${CANARIES[7]}` });
    };
    await until("an event", async () => {
      await flip();
      return first.text().includes("\nid: ");
    });
    first.end();
    const [, id] = /\nid: (\S+)/.exec(first.text()) ?? [];
    const seen = first.text();
    await until("another state", async () => {
      await flip();
      return (await client.get("/metrics")).status === 200 && flips > 3;
    });
    const second = await openEvents(port, client.headers, { "last-event-id": id as string });
    await until("the missed events", () => second.text().includes("\nid: "));
    second.end();
    expect(second.text()).toMatch(/^event: hello/);
    expect(second.text()).not.toContain(`id: ${id}\n`);
    const third = await openEvents(port, client.headers, { "last-event-id": "000000000000-7" });
    await until("the notice", () => third.text().includes("\n\n"));
    third.end();
    expect(third.text()).toMatch(/^event: missed/);
    for (const text of [seen, second.text()]) checkText("events", text);
  });
});
