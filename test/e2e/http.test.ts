/** The daemon's port as an unknown client sees it: a real daemon, real sockets, `fetch`. */
import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import type { AgentSession } from "../../src/core/agent.js";
import { askDaemon } from "../../src/daemon/client.js";
import type { HttpView } from "../../src/daemon/http/server.js";
import type { SessionView } from "../../src/daemon/views/view.js";
import { openPort } from "../support/api.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;
let port: number;
let key: string;

const socket = (): string => rousePaths(home.env).daemonSocket;
const http = async (): Promise<HttpView> =>
  ((await askDaemon(socket(), "GET", "/v1/daemon")) as { http: HttpView }).http;

beforeAll(async () => {
  home = makeHome("on");
  home.env.HOME = home.path;
  port = await openPort(home);
  key = readFileSync(rousePaths(home.env).hookKey, "utf8").trim();
});

afterAll(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const TIME = Date.now();

async function watch(name: string, more: Partial<AgentSession> = {}): Promise<void> {
  const session: AgentSession = {
    id: `id-${name}`,
    name,
    kind: "claude-code",
    tags: [],
    origin: "transcript",
    command: ["claude"],
    workspace: `/w/${name}`,
    task: null,
    policy: null,
    pid: null,
    pidStart: null,
    startedAt: TIME,
    hostSocket: null,
    pane: null,
    endedAt: null,
    ...more,
  };
  await askDaemon(socket(), "PUT", `/v1/sessions/${session.id}`, session);
}

const view = (name: string): Promise<SessionView> =>
  askDaemon(socket(), "GET", `/v1/agents/${name}`) as Promise<SessionView>;

/** The status of the answer, or 0 if the connection was closed instead. */
async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  }).catch(() => null);
  return answer ? { status: answer.status, text: await answer.text() } : { status: 0, text: "" };
}

/** A raw request, for what `fetch` would not send. */
function raw(head: readonly string[], body = ""): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const client = connect(port, "127.0.0.1", () => client.write(`${head.join("\r\n")}\r\n\r\n${body}`));
    client.setEncoding("utf8");
    client.on("data", (piece: string) => {
      text += piece;
    });
    client.on("error", () => {});
    client.on("close", () => resolve(text));
  });
}

const request = (host: string, more: readonly string[] = []): string[] => [
  "POST /v1/hooks/claude-code HTTP/1.1",
  `host: ${host}`,
  `authorization: Bearer ${key}`,
  "content-type: application/json",
  "content-length: 2",
  "connection: close",
  ...more,
];

const isWell = async (): Promise<void> => {
  expect(await post("/v1/hooks/claude-code", { hook_event_name: "Stop" })).toEqual({ status: 200, text: "" });
  expect(await askDaemon(socket(), "GET", "/v1/health")).toMatchObject({ ok: true });
};

describe("the daemon's port", () => {
  it("keeps its key in a file that only the user may read", () => {
    expect(statSync(rousePaths(home.env).hookKey).mode & 0o777).toBe(0o600);
    expect(key).toMatch(/^[\w-]{43}$/);
  });

  it("refuses requests without the key", async () => {
    for (const authorization of ["", "Bearer", `Bearer ${"x".repeat(43)}`, `Basic ${key}`, key, `Bearer ${key}x`]) {
      expect(await post("/v1/hooks/claude-code", {}, { authorization })).toMatchObject({ status: 401 });
    }
  });

  it("answers only to its own name, so that a page cannot reach it by DNS rebinding", async () => {
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `0.0.0.0:${port}`,
    ]) {
      expect(await raw(request(host), "{}")).toMatch(/^HTTP\/1\.1 421 /);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect(await raw(request(host), "{}")).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it("refuses pages of other origins, even with the key", async () => {
    for (const origin of [
      "https://evil.example",
      "null",
      `http://127.0.0.1:${port}.evil.example`,
      "http://127.0.0.1",
    ]) {
      expect(await raw(request(`127.0.0.1:${port}`, [`origin: ${origin}`]), "{}")).toMatch(/^HTTP\/1\.1 403 /);
    }
    expect(await raw(request(`127.0.0.1:${port}`, [`origin: http://127.0.0.1:${port}`]), "{}")).toMatch(/ 200 /);
  });

  it("accepts only JSON, and tells an exporter of protobuf what to set", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]) {
      expect((await post("/v1/hooks/claude-code", "{}", { "content-type": type })).status).toBe(415);
    }
    const protobuf = await post("/v1/logs", new Uint8Array([10, 3, 1, 2, 3]), {
      "content-type": "application/x-protobuf",
    });
    expect(protobuf).toMatchObject({ status: 415, text: expect.stringContaining("http/json") });
    expect((await post("/v1/logs", "x", { "content-encoding": "gzip" })).status).toBe(415);
    for (const body of ["", "{", "\u0000\u0001", new Uint8Array([0xff, 0xfe, 0])]) {
      expect((await post("/v1/hooks/claude-code", body)).status).toBe(400);
    }
  });

  it("serves none of the socket's own routes, and no API route to the key of the hooks", async () => {
    for (const path of ["/v1/shutdown", "/v1/sessions", "/v1/call/agents", "/", "/v1/hooks", "/v1/hooks/a/b"]) {
      expect((await post(path, {})).status).toBe(404);
    }
    for (const path of ["/v1/report", "/v1/watch", "/v1/permissions"]) expect((await post(path, {})).status).toBe(403);
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect((await get("/v1/sessions")).status).toBe(404);
    expect((await get("/v1/agents")).status).toBe(403);
  });

  it("refuses a huge body, announced or not", async () => {
    expect([413, 0]).toContain((await post("/v1/logs", "x".repeat(5 * 1024 * 1024))).status);
    const head = request(`127.0.0.1:${port}`).filter((line) => !line.startsWith("content-length"));
    const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
    const answer = await raw([...head, "transfer-encoding: chunked"], `${chunk.repeat(6)}0\r\n\r\n`);
    expect(["", "413"]).toContain(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "");
    await isWell();
  });

  it("survives hostile payloads", async () => {
    const deep = (count: number): string => `${"[".repeat(count)}${"]".repeat(count)}`;
    const deepRecord = (count: number): string => `${'{"a":'.repeat(count)}1${"}".repeat(count)}`;
    const bodies = [
      deep(100_000),
      deepRecord(100_000),
      "null",
      '"x"',
      "7",
      "[]",
      '{"__proto__":{"x":1},"hook_event_name":"__proto__"}',
      JSON.stringify({ hook_event_name: "Stop", session_id: { a: 1 }, cwd: 3, background_tasks: "x" }),
      `{"hook_event_name":"PreToolUse","cwd":"/w/deep","tool_use_id":"1","tool_name":"Bash","tool_input":${deepRecord(50_000)}}`,
      JSON.stringify({
        hook_event_name: "PostToolUse",
        cwd: "/w/deep",
        tool_use_id: "1",
        tool_response: Array(200_000).fill({ text: 1 }),
      }),
      JSON.stringify({ resourceLogs: Array(50_000).fill({ scopeLogs: 3 }) }),
      `{"resourceLogs":${deep(50_000)}}`,
      JSON.stringify({
        resourceLogs: [
          {
            resource: { attributes: [{ key: "rouse.agent", value: { stringValue: "deep" } }] },
            scopeLogs: [
              {
                logRecords: Array(15_000).fill({
                  attributes: [
                    { key: "event.name", value: { stringValue: "api_request" } },
                    { key: "output_tokens", value: { intValue: "9".repeat(30) } },
                  ],
                }),
              },
            ],
          },
        ],
      }),
      JSON.stringify({
        resourceMetrics: [
          {
            scopeMetrics: [
              { metrics: Array(15_000).fill({ name: "claude_code.token.usage", sum: { dataPoints: [{}] } }) },
            ],
          },
        ],
      }),
    ];
    await watch("deep");
    for (const path of [
      "/v1/hooks/claude-code",
      "/v1/hooks/gemini",
      "/v1/hooks/__proto__",
      "/v1/logs",
      "/v1/metrics",
      "/v1/traces",
    ]) {
      for (const body of bodies) expect((await post(path, body)).status).toBe(200);
    }
    await isWell();
    expect((await view("deep")).reasons.join()).not.toContain("failed");
  }, 120_000);
});

describe("a hook over HTTP", () => {
  const hook = (
    name: string,
    event: string,
    more: Record<string, unknown> = {},
  ): Promise<{ status: number; text: string }> =>
    post("/v1/hooks/claude-code", { hook_event_name: event, session_id: `c-${name}`, cwd: `/w/${name}`, ...more });

  it("changes the state of its agent, and returns nothing that could decide anything", async () => {
    await watch("ann");
    await watch("bob");
    const silent = { status: 200, text: "" };
    expect(await hook("ann", "UserPromptSubmit", { prompt: "go" })).toEqual(silent);
    await until("ann to work", async () => (await view("ann")).state === "working");
    expect(
      await hook("ann", "PermissionRequest", { tool_name: "Bash", tool_input: { command: "rm -rf build" } }),
    ).toEqual(silent);
    await until("ann to need input", async () => (await view("ann")).state === "needs_input");
    expect(await hook("ann", "Stop", { last_assistant_message: "All tests pass." })).toEqual(silent);
    await until("ann to be done", async () => (await view("ann")).state === "complete");
    expect((await view("bob")).state).not.toBe("complete");
  });

  it("is assigned to its agent by the rouse session, in any folder", async () => {
    await watch("cat", { workspace: null });
    const headers = { "x-rouse-session": "id-cat" };
    await post("/v1/hooks/claude-code", { hook_event_name: "UserPromptSubmit", prompt: "go", cwd: "/else" }, headers);
    await until("cat to work", async () => (await view("cat")).state === "working");
  });

  it("of an unwatched agent is accepted silently", async () => {
    const before = (await http()).unmatched;
    expect(await hook("nobody", "Stop")).toEqual({ status: 200, text: "" });
    expect((await http()).unmatched).toBe(before + 1);
  });
});

describe("telemetry", () => {
  const batch = (name: string): string =>
    readFileSync(join(import.meta.dirname, "../fixtures/otlp", `${name}.json`), "utf8");

  it.each([
    ["claude-code", "claude-logs", "claude-metrics", "f282f665-8c08-4bbe-ac94-548440e41a22", 299],
    ["codex", "codex-logs", "codex-metrics", "01a1de40-da0a-7f50-b9b6-4f00bbb73b64", 264],
  ])(
    "of %s is counted once for its session, although events, metrics and the transcript contain it",
    async (kind, logs, metrics, id, tokens) => {
      await watch(kind, { kind });
      const at = Date.now();
      const reported = [
        { kind: "session", at, source: "transcript", id },
        { kind: "tokens", at, source: "transcript", input: 132, output: 20 },
      ];
      await askDaemon(socket(), "POST", `/v1/sessions/id-${kind}/signals`, { from: 1, signals: reported });
      expect(await post("/v1/logs", batch(logs))).toEqual({ status: 200, text: "{}" });
      expect(await post("/v1/metrics", batch(metrics))).toEqual({ status: 200, text: "{}" });
      await until("the tokens to be counted", async () => (await view(kind)).tokens_per_hour === tokens);
      const more = [{ kind: "tokens", at: Date.now(), source: "transcript", input: 132, output: 15 }];
      await askDaemon(socket(), "POST", `/v1/sessions/id-${kind}/signals`, { from: 3, signals: more });
      expect((await view(kind)).tokens_per_hour).toBe(tokens);
    },
  );

  it("is assigned to its agent by a tag in the resource if the conversation is unknown", async () => {
    await watch("tagged", { kind: "codex" });
    const tagged = batch("codex-logs").replace(
      '"key": "service.name"',
      '"key":"rouse.agent","value":{"stringValue":"tagged"}},{"key": "service.name"',
    );
    await post("/v1/logs", tagged.replaceAll("01a1de40", "ffffffff"));
    await until("the tokens to be counted", async () => (await view("tagged")).tokens_per_hour === 264);
  });

  it("that arrives before its conversation is known is reported later", async () => {
    await watch("early", { kind: "codex" });
    const logs = batch("codex-logs").replaceAll("01a1de40", "eeeeeeee");
    await post("/v1/logs", logs);
    const { unmatched } = (await http()).telemetry;
    const id = "eeeeeeee-da0a-7f50-b9b6-4f00bbb73b64";
    const signals = [{ kind: "session", at: Date.now(), source: "transcript", id }];
    await askDaemon(socket(), "POST", "/v1/sessions/id-early/signals", { from: 1, signals });
    await until("the tokens to be counted", async () => (await view("early")).tokens_per_hour === 264);
    expect((await http()).telemetry.unmatched).toBeLessThan(unmatched);
  });

  it("of an unwatched agent is counted as such; spans are counted and not read", async () => {
    const before = (await http()).telemetry;
    await post("/v1/logs", batch("claude-error-logs"));
    await post("/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans: [{}, {}] }] }] });
    const { unmatched, spans } = (await http()).telemetry;
    expect({ unmatched, spans }).toEqual({ unmatched: before.unmatched + 2, spans: before.spans + 2 });
  });
});

describe("a port that another program uses", () => {
  it("stays closed while the daemon runs, and doctor reports it", async () => {
    const other = makeHome("on");
    let taken: Server | null = null;
    try {
      taken = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => taken?.once("listening", resolve));
      const address = taken.address();
      other.env.ROUSE_DAEMON_HTTP_PORT = String(typeof address === "object" ? address?.port : 0);
      expect((await rouse(other, ["up"])).status).toBe(0);
      const { http: found } = (await askDaemon(rousePaths(other.env).daemonSocket, "GET", "/v1/daemon")) as {
        http: HttpView;
      };
      expect(found).toMatchObject({
        listening: false,
        error: "another program uses it",
      });
      const { stdout } = await rouse(other, ["doctor"]);
      expect(stdout).toMatch(/warn {2}port .*another program uses it/);
    } finally {
      taken?.close();
      await rouse(other, ["down"]);
      expect(await closeHome(other)).toEqual({ processes: [], sockets: [] });
    }
  });
});
