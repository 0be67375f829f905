import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../src/config/paths.js";
import { newSessionId } from "../src/terminal/registry.js";

const BIN = join(import.meta.dirname, "..", "bin", "rouse");
let home: string;
let socket: string;
let close: () => unknown = () => {};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-hook-"));
  const paths = rousePaths({ ROUSE_HOME: home });
  mkdirSync(paths.runtime, { recursive: true });
  socket = paths.daemonSocket;
});
afterEach(() => {
  close();
  close = () => {};
  rmSync(home, { recursive: true, force: true });
});

interface Posted {
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers in their order; the last one is repeated. */
async function listen(...answers: [status: number, body: string][]): Promise<Posted[]> {
  const posted: Posted[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      posted.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const [status, answer] = answers[posted.length - 1] ?? answers.at(-1) ?? [200, "{}"];
      response.writeHead(status).end(answer);
    });
  });
  server.listen(socket);
  await once(server, "listening");
  close = () => server.close();
  return posted;
}

interface Input {
  text?: string;
  stays?: boolean;
  env?: Record<string, string>;
}

async function rouse(args: string[], { text = "", stays = false, env = {} }: Input = {}) {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, ROUSE_HOME: home, ...env },
    cwd: home,
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  child.stdin.on("error", () => {});
  child.stdin.write(text);
  if (!stays) child.stdin.end();
  const [code] = (await once(child, "close")) as [number | null];
  child.stdin.destroy();
  return { code, output, errors };
}

const SILENT = { code: 0, output: "", errors: "" };

async function until(ask: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !ask(); tries++) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(ask()).toBe(true);
}

describe("rouse hook", () => {
  it("passes the payload unchanged, with the calling session", async () => {
    const posted = await listen();
    const text = JSON.stringify({ hook_event_name: "Stop", note: "ümläut" });
    expect(await rouse(["hook", "claude-code"], { text, env: { ROUSE_SESSION: "s-1" } })).toEqual(SILENT);
    await until(() => posted.length === 1);
    expect(posted[0]).toMatchObject({ url: "/v1/hooks/claude-code", body: text });
    expect(posted[0]?.headers).toMatchObject({ "x-rouse-session": "s-1", "x-rouse-pid": String(process.pid) });
  });

  it("takes Codex's payload from the arguments, and runs the previous notify program", async () => {
    const posted = await listen();
    const kept = join(home, "kept");
    const payload = JSON.stringify({ type: "agent-turn-complete" });
    const code = "require('fs').writeFileSync(process.argv[1], process.argv[2])";
    expect(await rouse(["hook", "codex", "--then", process.execPath, "-e", code, kept, payload])).toEqual(SILENT);
    await until(() => posted.length === 1 && existsSync(kept) && readFileSync(kept, "utf8") === payload);
    expect(posted[0]).toMatchObject({ url: "/v1/hooks/codex", body: payload });
  });

  it("of the plugin does nothing if the same hooks are in the settings", async () => {
    const posted = await listen();
    const settings = join(home, ".claude", "settings.json");
    mkdirSync(join(home, ".claude"));
    const call = async (text: string, hooks: string): Promise<void> => {
      writeFileSync(settings, hooks);
      expect(await rouse(["hook", "claude-code", "--plugin"], { text, env: { HOME: home } })).toEqual(SILENT);
    };
    const hook = (entry: string): string => `{"hooks":{"Stop":[{"hooks":[{${entry}}]}]}}`;
    await call('{"told":1}', "{}");
    await call('{"told":2}', hook(`"command":"'/a b/rouse' hook claude-code"`));
    await call('{"told":3}', hook('"url":"http://127.0.0.1:17687/v1/hooks/claude-code"'));
    await call('{"told":4}', '{"enabledPlugins":{"rouse@rouse":true}}');
    await until(() => posted.length === 2);
    expect(posted.map(({ body }) => body).toSorted()).toEqual(['{"told":1}', '{"told":4}']);
  });

  it("prints nothing and succeeds without a daemon", async () => {
    expect(await rouse(["hook", "claude-code"], { text: "{}" })).toEqual(SILENT);
  });

  it("does not wait for a daemon that does not answer", async () => {
    const server = createSocketServer(() => {}).listen(socket);
    await once(server, "listening");
    close = () => server.close();
    expect(await rouse(["hook", "claude-code"], { text: "x".repeat(900_000) })).toEqual(SILENT);
  });

  it("does not wait for a payload that never ends", async () => {
    expect(await rouse(["hook", "gemini"], { text: "{", stays: true })).toEqual(SILENT);
  });

  it("reads and drops a payload that is too large", async () => {
    const posted = await listen();
    expect(await rouse(["hook", "claude-code"], { text: "x".repeat(3_000_000) })).toEqual(SILENT);
    expect(posted).toEqual([]);
  });

  it.each([[[]], [["hook/../x"]], [["claude code"]]])("does nothing with the program %j", async (args) => {
    const posted = await listen();
    expect(await rouse(["hook", ...args], { text: "{}" })).toEqual(SILENT);
    expect(posted).toEqual([]);
  });

  it("cannot be used to inject a header by any name", async () => {
    const posted = await listen();
    await rouse(["hook", "claude-code"], { text: "{}", env: { ROUSE_SESSION: "a\r\nx-evil: 1" } });
    await until(() => posted.length === 1);
    expect(posted[0]?.headers).not.toHaveProperty("x-evil");
    expect(posted[0]?.headers).not.toHaveProperty("x-rouse-session");
  });
});

describe("rouse report", () => {
  it("sends the state and the text to the daemon", async () => {
    const posted = await listen();
    expect(await rouse(["report", "needs_input", "which", "port?", "--name", "ann"])).toEqual(SILENT);
    expect(posted[0]?.url).toBe("/v1/report");
    expect(JSON.parse(posted[0]?.body ?? "")).toMatchObject({
      state: "needs_input",
      text: "which port?",
      agent: "ann",
    });
  });

  it("sends a heartbeat alone", async () => {
    const posted = await listen();
    expect(await rouse(["report", "--heartbeat"])).toEqual(SILENT);
    expect(JSON.parse(posted[0]?.body ?? "")).toMatchObject({ heartbeat: true });
    expect(JSON.parse(posted[0]?.body ?? "")).not.toHaveProperty("state");
  });

  it.each([[[]], [["great"]], [["working", "--loud"]], [["working", "--name"]]])(
    "refuses %j as bad usage",
    async (args) => {
      expect(await rouse(["report", ...args])).toMatchObject({
        code: 2,
        output: "",
        errors: expect.stringContaining("usage:"),
      });
    },
  );

  it.each([
    ["no daemon runs", null],
    ["the daemon is starting", 503],
  ])("stores a report if %s, and says so", async (_, status) => {
    if (status !== null) await listen([status, "{}"]);
    const { code, output } = await rouse(["report", "working"]);
    expect(code).toBe(0);
    expect(output).toBe("Stored: the daemon does not answer now; the report is delivered when it does.\n");
  });

  it("does not store a heartbeat, which proves nothing later", async () => {
    const { code, output } = await rouse(["report", "--heartbeat"]);
    expect(code).toBe(0);
    expect(output).toMatch(/^Not stored: /);
  });

  it("exits with 1 if the daemon refuses", async () => {
    await listen([404, '{"error":"no such agent"}']);
    expect(await rouse(["report", "working"])).toEqual({ code: 1, output: "", errors: "rouse: no such agent\n" });
  });

  it("waits for the daemon to know an agent that has just started", async () => {
    const posted = await listen([404, "{}"], [503, "{}"], [200, "{}"]);
    expect(await rouse(["report", "working"], { env: { ROUSE_SESSION: newSessionId() } })).toEqual(SILENT);
    expect(posted).toHaveLength(3);
  });

  it("does not wait for an agent that started long ago", async () => {
    const posted = await listen([404, '{"error":"no such agent"}'], [200, "{}"]);
    const session = `${(Date.now() - 60_000).toString(36)}-0123456789ab`;
    expect(await rouse(["report", "working"], { env: { ROUSE_SESSION: session } })).toMatchObject({ code: 1 });
    expect(posted).toHaveLength(1);
  });
});
