/** Commands of `rouse` that watched agents run: what is refused, recorded and announced, and what orchestrators may do. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/api/operations/index.js";
import type { Operation } from "../../src/api/operations/operation.js";
import { actionOf } from "../../src/api/order-log.js";
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import { findSession, listSessions } from "../../src/terminal/registry.js";
import { ApiClient, makeToken, openPort } from "../support/api.js";
import { reaches, receivedBy, spawnFake, viewOf } from "../support/fake-agent.js";
import { BIN, closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { curlInside, inside, rouseInside, spawnFakeRunner, spawnRunner } from "../support/inside.js";
import { REFUSED_COMMANDS } from "../support/inside-commands.js";

let home: Home;
let port: number;

const IDLE = { steps: Array(6).fill({ do: "idle" }), logs: true };

function configure(text: string): void {
  const { config } = rousePaths(home.env);
  mkdirSync(config, { recursive: true });
  const channel = `[channels.log]\ntype = "command"\ncommand = ["tee", "-a", "${join(home.path, "alerts.jsonl")}"]\n`;
  writeFileSync(join(config, "config.toml"), `version = 1\n${text}\n${channel}`);
}

beforeAll(async () => {
  home = makeHome("on");
  home.env.HOME = home.path;
  configure("");
  port = await openPort(home);
  await spawnFakeRunner(home, "asker", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }], logs: true });
  await spawnRunner(home, "evil");
  await spawnFake(home, "worker-1", IDLE, ["worker"]);
  await spawnFake(home, "other", IDLE);
  await reaches(home, "asker", "needs_input/permission");
  await reaches(home, "worker-1", "idle");
  await reaches(home, "other", "idle");
}, 180_000);

afterAll(async () => {
  await rouse(home, ["up"]);
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
}, 120_000);

const socket = (): string => rousePaths(home.env).daemonSocket;
const ask = async <T>(path: string): Promise<T> => (await askDaemon(socket(), "GET", path)) as T;
const received = (name: string): string =>
  receivedBy(home, name)
    .map(({ text }) => text)
    .join("");
const refused = (name: string) => ({
  status: 1,
  stderr: expect.stringMatching(
    `refused inside of the watched agent ${name}[\\s\\S]*run the\\s+command in another terminal`,
  ),
});

interface Alert {
  event: string;
  title: string;
  key: string;
}

/** Alerts that left, except those about the incident itself. */
function sentAlerts(): Alert[] {
  const path = join(home.path, "alerts.jsonl");
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  return lines.map((line) => JSON.parse(line) as Alert).filter(({ event }) => event === "security");
}

describe("an agent with an open permission dialog", () => {
  const NONE = { ROUSE_SESSION: null, ROUSE_AGENT: null };

  it.each<[string, string[], Record<string, string | null>]>([
    ["silence itself", ["silence", "asker", "--for", "24h"], {}],
    ["turn auto-recovery on", ["allow", "--all"], {}],
    ["answer its dialog", ["type", "asker", "1"], {}],
    ["answer its dialog without a check", ["type", "--unchecked", "asker", "1"], {}],
    ["acknowledge its incident", ["ack", "asker"], {}],
    ["answer its dialog without its environment", ["type", "--unchecked", "asker", "1"], NONE],
    ["silence itself without its environment", ["silence", "asker", "--for", "24h"], NONE],
    ["stop itself", ["stop", "asker"], {}],
  ])("cannot %s", async (_, args, env) => {
    expect(await rouseInside(home, "asker", args, env)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/refused inside of[\s\S]*in another\s+terminal/),
    });
  });

  it("cannot do it with requests of its own, whatever their headers say", async () => {
    const lies = {
      "x-rouse-pid": "1",
      "x-rouse-client": "user",
      "x-rouse-session": String(findSession(rousePaths(home.env), "other")?.id),
    };
    for (const headers of [{}, lies])
      for (const [path, body] of [
        ["/v1/agents/asker/input", { text: "1" }],
        ["/v1/permissions", { agents: "all" }],
        ["/v1/silences", { what: "asker", for_secs: 600 }],
      ] as const)
        expect(await curlInside(home, "asker", path, body, headers)).toMatchObject({
          status: 403,
          body: { error: expect.stringMatching(/^refused inside of.* asker.*in another terminal$/) },
        });
  });

  it("cannot do it as an orphan that no longer has a parent", async () => {
    const result = join(home.path, "orphan");
    const script = `(sleep 0.3; "$1" "$2" allow --all >"$3" 2>&1; echo "status $?" >>"$3") &`;
    await inside(home, "asker", ["sh", "-c", script, "sh", process.execPath, BIN, result], NONE);
    await until("the orphan", () => existsSync(result) && readFileSync(result, "utf8").includes("status"));
    expect(readFileSync(result, "utf8")).toMatch(/refused inside of[\s\S]*status 1/);
  });

  it("cannot do it at the socket of its own host, nor at that of another agent", async () => {
    const code = `
      const [path, ...lines] = process.argv.slice(1);
      const socket = require("net").connect(path, () => lines.forEach((line) => socket.write(line + "\\n")));
      const end = () => process.exit();
      let said = "";
      socket.on("data", (chunk) => {
        said += chunk;
        if (/"ev":"(error|typed)"/.test(said)) { console.log(said); end(); };
      });
      setTimeout(end, 5000);`;
    const type = JSON.stringify({ op: "type", text: "1" });
    const keys = ["attach", "input"].map((op) => JSON.stringify({ op, cols: 80, rows: 24, data: btoa("1\r") }));
    for (const [to, lines] of [
      ["asker", [type]],
      ["asker", keys],
      ["other", [type]],
    ] as const) {
      const { hostSocket } = findSession(rousePaths(home.env), to) ?? {};
      const { stdout } = await inside(
        home,
        "asker",
        [process.execPath, "-e", code, String(hostSocket), ...lines],
        NONE,
      );
      expect(stdout).toContain("refused inside of the watched agent asker; run the command in another terminal");
    }
    expect([received("asker"), received("other")]).toEqual(["", ""]);
  });

  it("has changed nothing: its dialog is open, and no key has reached it", async () => {
    expect(received("asker")).toBe("");
    expect((await viewOf(home, "asker"))?.state).toBe("needs_input");
    expect(await ask("/v1/silences")).toEqual({ silences: [] });
    expect((await ask<{ all: unknown }>("/v1/permissions")).all).toBeNull();
    const { incidents } = await ask<{ incidents: { acked_at: string | null }[] }>("/v1/incidents?agent=asker");
    expect(incidents).toMatchObject([{ acked_at: null }]);
  });

  it("was announced once, with the dialog", async () => {
    await until("the alert", () => sentAlerts().length > 0, 30_000);
    expect(sentAlerts()).toMatchObject([{ title: "Watchdog: asker tried to act on its own dialog" }]);
    // Not resolved by a restart either.
    await rouse(home, ["down"]);
    await rouse(home, ["up"]);
    expect((await rouseInside(home, "asker", ["type", "asker", "1"])).status).toBe(1);
    expect(sentAlerts()).toHaveLength(1);
    // Hosts leave their lines for the daemon.
    const { lines } = await ask<{ lines: Record<string, unknown>[] }>("/v1/audit?since=1970-01-01T00:00:00Z");
    const byHosts = lines.filter(({ origin, action }) => origin === "socket" && !String(action).startsWith("send_"));
    expect(byHosts.map(({ author, action, agent, result }) => [author, action, agent, result])).toEqual(
      expect.arrayContaining([
        ["agent asker", "type_unchecked", "asker", "refused"],
        ["agent asker", "attach", "asker", "refused"],
        ["agent asker", "type_unchecked", "other", "refused"],
      ]),
    );
  });

  it("is announced too if another agent tries to answer it", async () => {
    expect(await rouseInside(home, "evil", ["type", "asker", "1"])).toMatchObject(refused("evil"));
    // One alert per dialog.
    expect(sentAlerts()).toHaveLength(1);
    expect(received("asker")).toBe("");
  });
});

describe("a command that changes something", () => {
  beforeAll(async () => {
    await rouse(home, ["task", "add", "Fix it"]);
    await rouse(home, ["task", "claim", "1", "--name", "other"]);
    await rouse(home, ["task", "add", "Test it"]);
  });

  it.each(REFUSED_COMMANDS.map((args) => [args]))("is refused inside of a watched agent: %j", async (args) => {
    const { status, stdout, stderr } = await rouseInside(home, "evil", args);
    // `rouse work` prints on standard output which tasks could not be started.
    expect({ status, stderr: args[0] === "work" ? stdout : stderr }).toMatchObject(refused("evil"));
  });

  it("is refused by the daemon whatever client asks, and every attempt is in the audit trail", async () => {
    const attempts = Object.entries<Operation>(OPERATIONS).filter(
      ([, { fromInside }]) => fromInside !== "allowed" && fromInside !== "itself",
    );
    expect(attempts.length).toBeGreaterThan(30);
    for (const [name, { path, example }] of attempts) {
      const about = { ...example, ...("agent" in example ? { agent: "other" } : {}) } as Record<
        string,
        string | number
      >;
      const to = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(about[field] ?? "other"));
      expect([name, await curlInside(home, "evil", to, about)]).toMatchObject([
        name,
        { status: 403, body: { error: expect.stringMatching(/watched agent evil|^evil [\s\S]*in another terminal$/) } },
      ]);
    }
    const { lines } = await ask<{ lines: { author: string; action: string; result: string }[] }>(
      "/v1/audit?since=1970-01-01T00:00:00Z&limit=1000",
    );
    const recorded = new Set(
      lines.flatMap(({ author, action, result }) => (author === "agent evil" && result === "refused" ? [action] : [])),
    );
    expect(attempts.map(([name]) => actionOf(name)).filter((action) => !recorded.has(action))).toEqual([]);
  });

  it("is refused about another agent if the agent may do it about itself", async () => {
    const read = () => ask<{ tasks: { id: number; status: string; claim: object | null }[] }>("/v1/tasks?all=true");
    const { tasks } = await read();
    expect(tasks.find(({ id }) => id === 1)?.claim).toMatchObject({ agent: "other" });
    for (const args of [
      ["report", "complete", "--name", "other"],
      ["checkpoint", "1", "done", "--name", "other"],
      ["task", "claim", "2", "--name", "other"],
      ["task", "block", "1"],
      ["task", "done", "1"],
      ["task", "fail", "1"],
      ["task", "release", "1"],
    ])
      expect([args, await rouseInside(home, "evil", args)]).toMatchObject([args, { status: 1 }]);
    expect((await read()).tasks).toEqual(tasks);
  });

  it("had no effect", async () => {
    expect(await ask("/v1/health")).toMatchObject({ ok: true });
    expect(existsSync(join(rousePaths(home.env).state, "down"))).toBe(false);
    expect((await viewOf(home, "other"))?.ended_at).toBeNull();
    expect(received("other")).toBe("");
    expect(existsSync(join(home.path, ".claude", "settings.json"))).toBe(false);
    expect((await rouse(home, ["token", "list"])).stdout).not.toContain("mine");
  });

  it("is refused without a daemon too, and the daemon stays as it is", async () => {
    await rouse(home, ["down"]);
    for (const args of [
      ["type", "--unchecked", "other", "x"],
      ["type", "other", "x"],
      ["stop", "other"],
      ["token", "create", "mine"],
      ["down"],
    ])
      expect([args, await rouseInside(home, "evil", args, { ROUSE_DAEMON: "off" })]).toMatchObject([
        args,
        refused("evil"),
      ]);
    await rouse(home, ["up"]);
    expect(received("other")).toBe("");
    expect((await viewOf(home, "other"))?.ended_at).toBeNull();
  });

  it("works in another terminal, and reading works inside", async () => {
    expect((await rouseInside(home, "evil", ["status"])).status).toBe(0);
    expect((await rouseInside(home, "evil", ["init", "claude-code", "--dry-run"])).status).toBe(0);
    expect((await rouse(home, ["silence", "other", "--for", "1m"])).status).toBe(0);
    expect((await rouse(home, ["silence", "other", "--off"])).status).toBe(0);
  });
});

describe("an orchestrator that is itself watched", () => {
  const NEEDS = "lacks the right control (mcp.rights in your own configuration)";

  it("needs the right control in the user's own file: no variable and no project file gives it", async () => {
    writeFileSync(
      join(home.path, ".rouse.toml"),
      '[mcp]\nrights = ["read", "report", "control"]\n[watchdog]\nworker_tags = ["worker", "evil"]\n',
    );
    const env = { ROUSE_MCP_RIGHTS: "read,report,control" };
    const { stderr } = await rouseInside(home, "evil", ["type", "worker-1", "go"], env);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(NEEDS);
    expect(received("worker-1")).toBe("");
  });

  it("may type into, recover and stop its workers, but not itself and no other agent", async () => {
    configure('[mcp]\nrights = ["read", "report", "control"]');
    await spawnRunner(home, "boss", ["orchestrator"]);
    await spawnFake(home, "worker-2", { steps: [{ do: "idle" }, { do: "stream" }], logs: true }, ["worker"]);
    await reaches(home, "worker-2", "idle");
    expect(await rouseInside(home, "boss", ["type", "worker-2", "go on"])).toMatchObject({ status: 0, stderr: "" });
    expect(received("worker-2")).toBe("go on\r");
    expect((await rouseInside(home, "boss", ["recover", "worker-2", "--dry-run"])).status).toBe(0);
    const plain = async (args: string[]): Promise<string> =>
      (await rouseInside(home, "boss", args)).stderr.replaceAll(/\s+/g, " ");
    expect(await plain(["type", "other", "hello"])).toContain(
      "it may control only workers (tags: worker), and other is not one",
    );
    expect(await plain(["stop", "other"])).toContain("it may control only workers");
    expect(await plain(["type", "boss", "hello"])).toContain("may not type into, recover or stop itself");
    expect(await plain(["stop", "boss"])).toContain("may not type into, recover or stop itself");
    expect(await plain(["type", "--unchecked", "worker-2", "1"])).toContain("refused inside of the watched agent boss");
    expect(await plain(["allow", "worker-2"])).toContain("refused inside of the watched agent boss");
    expect(await plain(["type", "nobody", "hello"])).toContain("no agent named");
    expect(await rouseInside(home, "boss", ["stop", "worker-2", "--grace", "0"])).toMatchObject({ status: 0 });
    expect(received("other")).toBe("");
  });

  it("may not be a worker", async () => {
    await spawnRunner(home, "worker-3", ["worker"]);
    const { stderr } = await rouseInside(home, "worker-3", ["type", "worker-1", "go"]);
    expect(stderr).toContain("it is a worker itself");
    expect(received("worker-1")).toBe("");
  });

  it("never answers a dialog of a worker", async () => {
    await spawnFake(home, "worker-4", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }], logs: true }, [
      "worker",
    ]);
    await reaches(home, "worker-4", "needs_input/permission");
    const typed = await rouseInside(home, "boss", ["type", "worker-4", "1"]);
    expect(typed).toMatchObject({ status: 1, stderr: expect.stringContaining("refused") });
    expect(received("worker-4")).toBe("");
  });

  it("works with the library and as the example does: it starts, reads and stops workers, and acknowledges", async () => {
    await rouse(home, ["messages", "send", "--tag", "orchestrator", "hello"]);
    const library = join(import.meta.dirname, "..", "..", "dist", "api", "library.js");
    const code = `
      import(process.argv[1]).then(async ({ watch }) => {
        const rouse = await watch({ name: "orchestrator" });
        const { agent } = await rouse.spawn({ command: ["sleep", "600"], cwd: "/tmp", name: "worker-5", tags: ["worker"] });
        const { messages, cursor } = await rouse.messages();
        const { acked } = await rouse.ack(cursor);
        const { result } = await rouse.stop(agent);
        const other = await rouse.stop("other").catch((error) => error.kind);
        console.log(JSON.stringify({ agent, acked: acked === messages.length && acked > 0, result, other }));
        await rouse.close();
      });`;
    const { stdout, stderr } = await inside(home, "boss", [process.execPath, "-e", code, library]);
    expect([stderr, stdout]).toEqual(["", expect.stringContaining("{")]);
    expect(JSON.parse(stdout)).toEqual({ agent: "worker-5", acked: true, result: "done", other: "identity" });
  });

  it("is woken by a timer of its own, as by /rouse monitor, and stops it", async () => {
    const timer = (path: string, body: object) => curlInside(home, "boss", path, body);
    const started = await timer("/v1/watchdogs", {
      agent: "boss",
      on_messages: true,
      interval_secs: 30,
      message: "read your messages",
    });
    expect(started).toMatchObject({ status: 200, body: { agent: "boss", inbox: "orchestrator" } });
    expect(await timer("/v1/watchdogs/stop", { agent: "boss" })).toMatchObject({
      status: 200,
      body: { stopped: true },
    });
    expect(await timer("/v1/watchdogs", { agent: "other" })).toMatchObject({ status: 403 });
    expect(await curlInside(home, "worker-3", "/v1/watchdogs", { agent: "worker-1" })).toMatchObject({ status: 403 });
  });

  it("may use a token with control instead, with the same limits", async () => {
    configure("");
    const token = await makeToken(home, "boss-token", "read,report,control");
    const code = `
      const [url, token, path] = process.argv.slice(1);
      fetch(url + path, { method: "POST", headers: { authorization: "Bearer " + token, "content-type": "application/json" }, body: "{}" })
        .then(async (answer) => console.log(JSON.stringify({ status: answer.status, text: await answer.text() })));`;
    const post = async (path: string): Promise<{ status: number; text: string }> => {
      const argv = [process.execPath, "-e", code, `http://127.0.0.1:${port}`, token, path];
      return JSON.parse((await inside(home, "boss", argv)).stdout) as { status: number; text: string };
    };
    expect(await post("/v1/agents/other/stop")).toMatchObject({
      status: 403,
      text: expect.stringContaining("only workers"),
    });
    expect(await post("/v1/agents/boss/stop")).toMatchObject({ status: 403, text: expect.stringContaining("itself") });
    expect(await post("/v1/agents/worker-4/stop")).toMatchObject({ status: 200 });
    const client = new ApiClient(port, token);
    expect((await client.post("/v1/agents/worker-1/stop", {})).status).toBe(200);
  });
});
