/** Agents behind a TLS proxy of the user: a real daemon, its public host names, raw requests of an attacker. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { makeToken, openPort } from "../support/api.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";

const PUBLIC = "rouse.example";

let home: Home;
let port: number;
let lab: string;
let admin: string;
let hookKey: string;

beforeAll(async () => {
  home = makeHome("on");
  home.env.HOME = home.path;
  const paths = rousePaths(home.env);
  mkdirSync(paths.config, { recursive: true });
  writeFileSync(
    `${paths.config}/config.toml`,
    `[api]\npublic_hosts = ["Rouse.Example", "rouse.example:8443", "localhost:1", "https://wrong/"]\n[daemon]\nhttp_hosts = ["rouse.example"]\n`,
  );
  port = await openPort(home);
  lab = await makeToken(home, "lab", "report", ["--agent-pattern", "lab-*"]);
  admin = await makeToken(home, "boss", "read,report,report_any,control,admin");
  hookKey = readFileSync(paths.hookKey, "utf8").trim();
});

afterAll(async () => {
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

interface Answer {
  status: number;
  text: string;
}

/** What a proxy or an attacker sends: `fetch` sets Host by itself. */
function send(
  host: string,
  {
    method = "POST",
    path,
    body = {},
    token = lab,
    more = [],
  }: {
    method?: string;
    path: string;
    body?: unknown;
    token?: string;
    more?: readonly string[];
  },
): Promise<Answer> {
  const payload = JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(payload)}`,
    "connection: close",
    ...more,
  ];
  return new Promise((resolve) => {
    let text = "";
    const client = connect(port, "127.0.0.1", () => client.write(`${head.join("\r\n")}\r\n\r\n${payload}`));
    client.setEncoding("utf8");
    client.on("data", (piece: string) => {
      text += piece;
    });
    client.on("error", () => {});
    client.on("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
  });
}

const report = (agent: string) => ({ path: "/v1/report", body: { agent, state: "working" } });
const agents = async (): Promise<string[]> => {
  const { agents: found } = (await askDaemon(rousePaths(home.env).daemonSocket, "GET", "/v1/agents")) as {
    agents: { name: string }[];
  };
  return found.map(({ name }) => name);
};

describe("a public host", () => {
  it("takes reports and checkpoints of agents that it creates by name", async () => {
    const { status, stdout } = await rouse(home, ["task", "add", "Fix it", "--step", "One", "--step", "Two", "--json"]);
    expect(status).toBe(0);
    const { id } = JSON.parse(stdout) as { id: number };
    expect(await send(PUBLIC, report("lab-1"))).toMatchObject({ status: 200 });
    const step = { path: "/v1/checkpoints", body: { agent: "lab-2", task: id, step: 1, text: "one" } };
    expect(await send("rouse.example:8443", step)).toMatchObject({ status: 200 });
    const shown = await rouse(home, ["task", "show", String(id), "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: "in_progress", worker: "lab-2", completed_steps: [1] });
    expect(await agents()).toEqual(expect.arrayContaining(["lab-1", "lab-2"]));
    const table = await rouse(home, ["status"]);
    expect(table.stdout).toMatch(/lab-1 .*working/);
  });

  it("serves these two routes only, to every token and key, also if it is an accepted host name too", async () => {
    const paths = [
      ["GET", "/"],
      ["GET", "/v1/agents"],
      ["GET", "/v1/tasks"],
      ["GET", "/v1/events"],
      ["GET", "/v1/openapi.json"],
      ["GET", "/metrics"],
      ["POST", "/mcp"],
      ["POST", "/v1/tasks"],
      ["POST", "/v1/claims"],
      ["POST", "/v1/spawn"],
      ["POST", "/v1/web/login"],
      ["POST", "/v1/hooks/claude-code"],
      ["POST", "/v1/logs"],
      ["GET", "/v1/report"],
      ["HEAD", "/v1/report"],
      ["PUT", "/v1/report"],
      ["POST", "//v1/report"],
      ["POST", "/v1/report/"],
      ["POST", "/v1/%72eport"],
      ["POST", "/v1/report/../agents"],
      ["POST", "/v1/report%2f..%2fagents"],
      ["POST", "/V1/REPORT"],
    ] as const;
    for (const token of [admin, lab, hookKey])
      for (const [method, path] of paths)
        expect(await send(PUBLIC, { method, path, token }), `${method} ${path}`).toMatchObject({ status: 403 });
    expect((await send(PUBLIC, { method: "GET", path: "/v1/agents", token: admin })).text).toContain(
      "this host serves only POST /v1/checkpoints and POST /v1/report",
    );
  });

  it("gives no token more than the right to report, and the key of the hooks nothing", async () => {
    await askDaemon(rousePaths(home.env).daemonSocket, "PUT", "/v1/sessions/local", {
      id: "local",
      name: "local",
      kind: "generic",
      tags: [],
      origin: "transcript",
      command: [],
      workspace: null,
      task: null,
      policy: null,
      pid: null,
      pidStart: null,
      startedAt: Date.now(),
      hostSocket: null,
      pane: null,
      endedAt: null,
    });
    expect(await send(PUBLIC, { ...report("local"), token: admin })).toMatchObject({ status: 403 });
    expect(await send(`127.0.0.1:${port}`, { ...report("local"), token: admin })).toMatchObject({ status: 200 });
    expect(await send(PUBLIC, { ...report("lab-1"), token: hookKey })).toMatchObject({ status: 403 });
    const task = { path: "/v1/checkpoints", body: { task: 1, text: "as the user" }, token: admin };
    expect((await send(PUBLIC, task)).status).toBeGreaterThanOrEqual(400);
  });

  it("refuses other hosts, forged hosts, pages and missing tokens", async () => {
    for (const host of [
      "evil.example",
      "rouse.example.",
      "rouse.example:1",
      "rouse.example.evil.example",
      "rouse.example@evil.example",
      "xrouse.example",
      "rouse.example/",
      "rouse.example, 127.0.0.1",
      "localhost:1",
      "",
      "https://wrong/",
    ]) {
      const { status } = await send(host, report("lab-1"));
      expect([400, 421], host).toContain(status);
    }
    for (const more of [["x-forwarded-host: rouse.example"], ["forwarded: host=rouse.example"]])
      expect(await send("evil.example", { ...report("lab-1"), more })).toMatchObject({ status: 421 });
    for (const origin of ["https://rouse.example", "http://rouse.example", "null", "https://evil.example"])
      expect(await send(PUBLIC, { ...report("lab-1"), more: [`origin: ${origin}`] })).toMatchObject({ status: 403 });
    for (const token of ["", "x".repeat(43), `${lab}x`, lab.slice(0, -1)])
      expect(await send(PUBLIC, { ...report("lab-1"), token })).toMatchObject({ status: 401 });
    const twice = await send("evil.example", { ...report("lab-1"), more: [`host: ${PUBLIC}`] });
    expect([400, 421]).toContain(twice.status);
  });

  it("answers 403 to names that the token does not cover, and creates nothing", async () => {
    const before = await agents();
    for (const name of ["prod-1", "LAB-1", "local", "lab-1/../x", "lab-\n", "rouse"])
      expect(await send(PUBLIC, report(name)), name).toMatchObject({ status: 403 });
    expect(await agents()).toEqual(before);
  });

  it("believes no header about the process, session or address of the agent", async () => {
    const more = [
      "x-rouse-session: local",
      "x-rouse-agent: local",
      "x-rouse-pid: 1",
      "x-forwarded-for: 127.0.0.1",
      "x-rouse-client: user",
    ];
    const { status } = await send(PUBLIC, { path: "/v1/report", body: { state: "error" }, more });
    expect(status).toBe(404);
  });

  it("refuses a revoked token at once", async () => {
    const token = await makeToken(home, "short", "report", ["--agent-pattern", "tmp-*"]);
    expect(await send(PUBLIC, { ...report("tmp-1"), token })).toMatchObject({ status: 200 });
    await rouse(home, ["token", "revoke", "short"]);
    expect(await send(PUBLIC, { ...report("tmp-1"), token })).toMatchObject({ status: 401 });
  });

  it("is ignored with a note if it names this machine or is no host name", async () => {
    const log = readFileSync(rousePaths(home.env).daemonLog, "utf8");
    for (const entry of ["localhost:1", "https://wrong/"])
      expect(log).toContain(`api.public_hosts: \\"${entry}\\" is ignored; expected the public host name of your proxy`);
    const { stdout } = await rouse(home, ["doctor"]);
    expect(stdout).toContain("agent lab-1       generic (report): sees reports");
  });
});
