/** Attacks of a hostile agent on the daemon and its readers: by text, by size, by number. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import type { Signal } from "../../src/core/signal.js";
import { WorkspaceFolder } from "../../src/sensors/workspace/folder.js";
import { WorkspaceSensor } from "../../src/sensors/workspace/workspace-sensor.js";
import { TestDaemon } from "../support/daemon.js";
import { EVIL, UNSAFE } from "../support/evil.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";

const FULL = process.env.ROUSE_FULL === "1";
const TIMEOUT_MS = 600_000;
const BOMB_MB = FULL ? 500 : 40;
const FILES = FULL ? 1_000_000 : 3000;
const MEMORY_MAX_MB = 256;

let home: Home;
let daemon: TestDaemon;
let pid: number;

beforeAll(async () => {
  home = makeHome();
  daemon = new TestDaemon(home);
  daemon.start();
  ({ pid } = await daemon.judges());
});
afterAll(async () => {
  await daemon.kill("SIGTERM");
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const session = (name: string): Record<string, unknown> => ({
  id: name,
  name,
  kind: "claude-code",
  tags: [EVIL],
  origin: "spawn",
  command: ["claude", EVIL],
  workspace: null,
  task: EVIL,
  policy: null,
  pid: null,
  pidStart: null,
  startedAt: Date.now() - 60_000,
  hostSocket: null,
  pane: null,
  endedAt: null,
});

/** A signal of each kind that contains text, all of it hostile. */
function evilSignals(): Signal[] {
  const at = Date.now() - 30_000;
  const screen = { reply: "r", lastLine: EVIL, busy: true, moving: false, composer: "hidden" } as const;
  return [
    { kind: "session", at, source: "stream", id: EVIL, version: EVIL, cwd: EVIL, model: EVIL },
    { kind: "tool_start", at, source: "stream", id: "1", tool: EVIL, class: "shell", call: "c", subject: EVIL },
    { kind: "tool_end", at, source: "stream", id: "1", ok: false, outcome: "o", raw: "w", preview: EVIL },
    { kind: "message", at, source: "stream", role: "assistant", digest: "d", closing: "question", preview: EVIL },
    { kind: "error", at, source: "stream", cause: "api", final: false, digest: "e", text: EVIL },
    {
      kind: "screen",
      at,
      source: "screen",
      reading: { ...screen, dialog: { prompt: "permission", question: EVIL }, tail: [EVIL, EVIL] },
    },
    { kind: "commit", at, source: "workspace", id: "f".repeat(40), subject: EVIL },
    { kind: "file", at, source: "workspace", path: EVIL, digest: "g" },
    { kind: "prompt", at, source: "hook", open: true, prompt: "permission", question: EVIL },
    { kind: "report", at, source: "report", state: "needs_input", text: EVIL },
  ];
}

describe("the text of an agent in the daemon", () => {
  const asked = ["plain", `evil\u001b]0;x\u0007\u202e\u009b`];

  beforeAll(async () => {
    for (const name of asked) {
      const path = `/v1/sessions/${encodeURIComponent(name)}`;
      await daemon.put(path, session(name));
      await daemon.post(`${path}/signals`, { from: 1, signals: evilSignals() });
    }
  });

  it.each([
    ["status"],
    ["status", "--all"],
    ["status", "--json"],
    ["health", "plain"],
    ["health", "plain", "--json"],
    ["health", "--filter", "unhealthy"],
    ["why", "plain"],
    ["why", "plain", "--json"],
    ["why", asked[1] as string],
    ["check"],
    ["check", "--json"],
    ["summary", "--since", "1h"],
    ["summary", "--since", "1h", "--json"],
    ["incidents"],
    ["incidents", "--all", "--json"],
    ["incidents", "plain"],
    ["incidents", asked[1] as string],
    ["recover", asked[1] as string, "--dry-run"],
    ["allow"],
    ["allow", "--json"],
    ["doctor"],
    ["doctor", "--json"],
    ["attach", asked[1] as string],
    ["report", `evil\u001b[31m`],
  ])("is printed without a control byte: %j %j %j %j", async (...args) => {
    const { stdout, stderr } = await rouse(home, args);
    expect(stdout + stderr).not.toBe("");
    for (const text of [stdout, stderr])
      expect(UNSAFE.exec(text)?.[0] ?? "", JSON.stringify(text.slice(0, 2000))).toBe("");
  });

  it.each(["/v1/agents", "/v1/agents/plain", "/v1/agents/plain/why", "/v1/sessions", "/v1/incidents"])(
    "is returned by %s without a control byte",
    async (path) => {
      const text = await raw("GET", path);
      expect(text).toContain("plain");
      expect(UNSAFE.exec(text)?.[0] ?? "", JSON.stringify(text.slice(0, 2000))).toBe("");
    },
  );
});

describe("the daemon's memory", () => {
  it(`stays below ${MEMORY_MAX_MB} MB when ${BOMB_MB} MB are sent to it at once`, { timeout: TIMEOUT_MS }, async () => {
    for (const path of ["/v1/report", "/v1/hooks/claude-code", "/v1/sessions/plain/signals", "/v1/watch"]) {
      await raw("POST", path, BOMB_MB).catch(() => "refused");
    }
    expect(await daemon.ask("/v1/health")).toMatchObject({ ok: true, pid });
    expect(peakMb(pid)).toBeLessThan(MEMORY_MAX_MB);
  });

  it("survives nesting, wrong types and names of prototypes", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    for (const body of [deep, `{"from":1,"signals":[${deep}]}`, '{"__proto__":{"ok":false},"from":1}', "null", "\0"]) {
      await raw("POST", "/v1/sessions/plain/signals", body);
      await raw("POST", "/v1/hooks/claude-code", body);
      await raw("PUT", "/v1/sessions/__proto__", body);
    }
    expect(await daemon.ask("/v1/health")).toMatchObject({ ok: true, pid });
  });
});

describe("a workspace", () => {
  it(`of ${FILES} files is checked within bounds`, { timeout: TIMEOUT_MS }, async () => {
    const folder = join(home.path, "many");
    for (let n = 0; n < FILES; n++) {
      if (n % 1000 === 0) mkdirSync(join(folder, String(n / 1000)), { recursive: true });
      writeFileSync(join(folder, String(Math.floor(n / 1000)), `file-${n}`), "");
    }
    const before = process.memoryUsage().heapUsed;
    const signals = await new WorkspaceSensor({ folder: new WorkspaceFolder(folder) }).check(Date.now());
    expect(signals.length).toBeLessThanOrEqual(200);
    expect((process.memoryUsage().heapUsed - before) / 1024 / 1024).toBeLessThan(100);
  });
});

const peakMb = (of: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${of}/status`, "latin1"))?.[1]) / 1024;

/** The raw answer; the body is given, or generated with this many megabytes. */
function raw(method: string, path: string, body: string | number = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const { daemonSocket } = rousePaths(home.env);
    const asked = request({ socketPath: daemonSocket, method, path }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => resolve(text));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    if (typeof body === "string") return void asked.end(body);
    const block = Buffer.alloc(1024 * 1024, '{"a":[');
    let left = body;
    const more = (): void => {
      while (left-- > 0) if (!asked.write(block)) return void asked.once("drain", more);
      asked.end();
    };
    more();
  });
}
