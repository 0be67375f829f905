/** The HTTP API as a program uses it: scripted agents under the real daemon, real requests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/api/operations/index.js";
import type { Operation } from "../../src/api/operations/operation.js";
import { ROUTES } from "../../src/api/routes.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { findSession } from "../../src/terminal/registry.js";
import { ApiClient, makeToken, openPort } from "../support/api.js";
import { reaches, receivedBy, spawnFake, viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

let home: Home;
let client: ApiClient;

beforeAll(async () => {
  home = makeHome("on");
  const port = await openPort(home);
  client = new ApiClient(port, await makeToken(home, "all", "read,report,report_any,control,admin"));
  await spawnFake(home, "ann", { steps: [{ do: "idle" }, { do: "stream" }], logs: true }, ["worker"]);
  await spawnFake(home, "bob", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }], logs: true });
  await reaches(home, "ann", "idle");
  await reaches(home, "bob", "needs_input/permission");
  await until("the incident", async () => (await client.get("/v1/incidents")).text.includes("bob"));
}, 120_000);

afterAll(async () => {
  for (const name of ["ann", "bob"]) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe("the API", () => {
  it("answers as its document says, field by field", async () => {
    await client.post("/v1/watchdogs", { agent: "ann", interval_secs: 86_400 });
    await client.post("/v1/tasks", { title: "Fix it", steps: ["One"] });
    await client.post("/v1/claims", { agent: "ann" });
    await client.post("/v1/checkpoints", { agent: "ann", step: 1, text: "one" });
    await client.post("/v1/locks", { project: "shop", name: "merge", agent: "ann" });
    for (const [name, { method, path, output, surfaces }] of Object.entries<Operation>(OPERATIONS)) {
      if (method !== "get" || !surfaces.http) continue;
      for (const agent of path.includes("{agent}") ? ["ann", "bob"] : ["bob"]) {
        const { status, body } = await client.get(
          `${path.replace("{task}", "1").replace(/\{\w+\}/, agent)}?since=0&all=true&at=0`,
        );
        // This machine is alone; test/fleet has the answers of a fleet.
        if (name.startsWith("fleet")) {
          expect([name, status, body]).toEqual([name, 409, { error: expect.stringContaining("rouse fleet join") }]);
          continue;
        }
        expect([name, status]).toEqual([name, 200]);
        expect([name, output.parse(body)]).toEqual([name, body]);
      }
    }
    const sent = await client.post("/v1/messages", { target: { tag: "ops" }, payload: { a: 1 } });
    expect(OPERATIONS.send_message.output.parse(sent.body)).toEqual(sent.body);
    const acked = await client.post("/v1/messages/ack", { tag: "ops", up_to: 1e6 });
    expect(acked.body).toEqual({ acked: 1 });
    expect((await client.post("/v1/watchdogs/stop", { agent: "ann" })).body).toEqual({ stopped: true });
  });

  it("has an OpenAPI 3.1 document that names every route and the right that it needs", async () => {
    const { body } = await client.get<{
      openapi: string;
      paths: Record<string, Record<string, { "x-rouse-right": string }>>;
    }>("/v1/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    for (const { method, path, right } of ROUTES)
      expect([path, body.paths[path]?.[method]?.["x-rouse-right"]]).toEqual([path, right]);
    const docs = readFileSync(join(import.meta.dirname, "../../docs/api.md"), "utf8");
    for (const { path } of ROUTES) expect([path, docs.includes(path)]).toEqual([path, true]);
  });

  it("has Prometheus metrics of agents, incidents, actions, delays, tokens, the journal and unobserved agents", async () => {
    const { text } = await client.get("/metrics");
    for (const line of [
      /^rouse_agents\{state="idle"\} 1$/m,
      /^rouse_agents\{state="needs_input"\} 1$/m,
      /^rouse_agents_unobserved 0$/m,
      /^rouse_incidents_open\{problem="needs_input",phase="\w+"\} 1$/m,
      /^rouse_incident_confirm_seconds\{quantile="0.5"\} [\d.]+$/m,
      /^rouse_tokens_per_hour\{direction="output"\} \d+$/m,
      /^rouse_journal_pending_signals \d+$/m,
      /^rouse_tick_age_seconds [\d.]+$/m,
      /^# TYPE rouse_actions_kept gauge$/m,
      /^# TYPE rouse_recoveries_kept gauge$/m,
    ])
      expect(text).toMatch(line);
    expect(text).not.toMatch(/ann|bob/);
  });

  it("says what is wrong with a request, and what to do", async () => {
    const wrong = async (path: string): Promise<[number, string]> => {
      const { status, body } = await client.get(path);
      return [status, String(body.error)];
    };
    expect(await wrong("/v1/agents/an")).toEqual([404, expect.stringContaining("ann")]);
    expect(await wrong("/v1/agents/ann/pane?lines=many")).toEqual([400, expect.stringContaining("lines")]);
    expect(await wrong("/v1/summary")).toEqual([400, expect.stringContaining("since")]);
    for (const path of ["/v1/summary?since=bla", "/v1/incidents?since=bla"])
      expect(await wrong(path)).toEqual([
        400,
        'since: "bla" is not accepted; expected an ISO 8601 time or milliseconds since 1970',
      ]);
    expect((await wrong("/v1/agents/"))[0]).toBe(404);
    expect(await wrong("/v1/events?kinds=nothing")).toEqual([400, expect.stringContaining("assessment")]);
    expect(await client.post("/v1/report", { agent: "ann" })).toMatchObject({ status: 400 });
    expect(await client.post("/v1/agents/ann/input", {})).toMatchObject({
      status: 400,
      body: { error: "text: missing; expected a string of 1 to 10000 characters" },
    });
  });

  it("types nothing into an agent with an open question", async () => {
    const { status, body } = await client.post("/v1/agents/bob/input", { text: "yes" });
    expect([status, body.error]).toEqual([409, expect.stringContaining("nothing was done")]);
    expect(receivedBy(home, "bob")).toEqual([]);
  });

  it("stops an agent that waits for an answer, as rouse stop does", async () => {
    await spawnFake(home, "cat", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }] });
    await reaches(home, "cat", "needs_input/permission");
    expect(await client.post("/v1/agents/cat/stop", {})).toMatchObject({ status: 200, body: { result: "done" } });
    await until("the end", async () => (await viewOf(home, "cat"))?.ended_at !== null);
    expect(findSession(rousePaths(home.env), "cat")?.leftBy).toBe("client");
  });

  it("logs each control request before it runs, and its outcome, with the client", async () => {
    const { status } = await client.post("/v1/agents/ann/input", { text: "go on" });
    expect(status).toBe(200);
    const { body } = await client.get("/v1/audit?agent=ann&limit=1");
    expect(body.lines).toMatchObject([
      { author: "token all", origin: "http", action: "send_input", agent: "ann", text: "go on", result: "done" },
    ]);
  });

  it("stops only agents that rouse spawned", async () => {
    const socket = rousePaths(home.env).daemonSocket;
    const found = {
      name: "found",
      id: "found",
      origin: "tmux",
      kind: "claude-code",
      tags: [],
      command: [],
      task: null,
    };
    const none = {
      workspace: null,
      policy: null,
      pid: null,
      pidStart: null,
      hostSocket: null,
      pane: null,
      endedAt: null,
    };
    await askDaemon(socket, "PUT", "/v1/sessions/found", { ...found, ...none, startedAt: Date.now() });
    for (const path of ["stop", "input"])
      expect(await client.post(`/v1/agents/found/${path}`, { text: "x" })).toMatchObject({
        status: 409,
        body: { error: expect.stringMatching(/not started by `?rouse/) },
      });
    const controller = new ApiClient(Number(new URL(client.url).port), await makeToken(home, "ctl", "read,control"));
    expect(await controller.post("/v1/agents/found/recover", {})).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("rouse allow found") },
    });
    expect(await controller.post("/v1/agents/found/recover", { dry_run: true })).toMatchObject({ status: 200 });
    await until("ann to be idle", async () => (await client.post("/v1/agents/ann/stop", {})).status === 200, 60_000);
    await until("the end", async () => (await viewOf(home, "ann"))?.ended_at !== null);
    // A requested stop is final: no crash is reported and nothing is restarted.
    expect((await viewOf(home, "ann"))?.state).not.toBe("gone");
    expect(findSession(rousePaths(home.env), "ann")?.leftBy).toBe("client");
    const { body } = await client.get<{ incidents: unknown[] }>("/v1/incidents?agent=ann&all=true");
    expect(body.incidents).toEqual([]);
    expect((await client.get<{ lines: string[] }>("/v1/agents/ann/pane")).body.lines.length).toBeGreaterThan(0);
  });
});

describe("an address that other machines can reach", () => {
  it("is not opened unless two settings permit it", async () => {
    const other = makeHome("on");
    try {
      other.env.ROUSE_DAEMON_HTTP_PORT = home.env.ROUSE_DAEMON_HTTP_PORT;
      other.env.ROUSE_DAEMON_HTTP_ADDRESS = "0.0.0.0";
      await rouse(other, ["up"]);
      expect(await askDaemon(rousePaths(other.env).daemonSocket, "GET", "/v1/daemon")).toMatchObject({
        http: { listening: false, error: expect.stringContaining("daemon.http_remote = true") },
      });
    } finally {
      await rouse(other, ["down"]);
      await closeHome(other);
    }
  });
});
