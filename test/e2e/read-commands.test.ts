import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServiceContext } from "../../src/api/service/context.js";
import { openServices } from "../../src/api/service/services.js";
import { addSocketRoutes } from "../../src/api/socket.js";
import { readVersion } from "../../src/cli/version.js";
import { loadConfig } from "../../src/config/load.js";
import { makePrivateFolder, rousePaths } from "../../src/config/paths.js";
import type { AgentSession } from "../../src/core/agent.js";
import type { Signal } from "../../src/core/signal.js";
import { HOUR, MINUTE } from "../../src/core/text/time.js";
import type { Loop } from "../../src/daemon/loop.js";
import { DaemonClock } from "../../src/daemon/self/clock.js";
import { type Journal, openJournal } from "../../src/store/journal.js";
import { NodeHub } from "../../src/work/node-hub.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { loopOver, testRules } from "../support/loops.js";

const NOW = Date.now();

let home: Home;
let server: Server;
let journal: Journal;
let loop: Loop;

beforeEach(async () => {
  home = makeHome();
  const paths = rousePaths(home.env);
  makePrivateFolder(paths.runtime);
  journal = openJournal(paths.journal).journal;
  loop = loopOver(journal, new DaemonClock(), testRules());
  const app = new Hono();
  app.get("/v1/health", (c) => c.json({ ok: true, version: readVersion(), pid: process.pid }));
  const configOf = ({ workspace }: Pick<AgentSession, "workspace">) =>
    loadConfig({ cwd: workspace ?? paths.config, env: { ROUSE_HOME: home.path } }).config;
  const context = {
    loop,
    journal,
    tuning: { configOf, learn: () => {} },
    control: { pulses: () => [], http: () => null },
    hub: new NodeHub({ state: paths.state, node: "test", instance: "i", version: "1" }),
    channels: [],
    channelNotes: [],
  } as unknown as ServiceContext;
  addSocketRoutes(app, new Hono(), openServices(context), paths.daemonSocket);
  const answer = getRequestListener(app.fetch);
  server = createServer((request, response) => void answer(request, response));
  const before = process.umask(0o177);
  await new Promise<void>((resolve) => server.listen(paths.daemonSocket, resolve));
  process.umask(before);
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  journal.close();
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

async function agent(
  name: string,
  startedHoursAgo: number,
  signals: readonly Signal[],
  workspace: string | null = null,
): Promise<void> {
  const session: AgentSession = {
    id: `id-${name}`,
    name,
    kind: "claude-code",
    tags: [],
    origin: "spawn",
    command: ["claude"],
    workspace,
    task: null,
    policy: null,
    pid: 1,
    pidStart: "1",
    startedAt: NOW - startedHoursAgo * HOUR,
    hostSocket: null,
    pane: null,
    endedAt: null,
  };
  loop.register(session);
  await loop.ingest(session.id, 1, signals);
}

const hoursAgo = (hours: number): number => NOW - hours * HOUR;
const turn = (hours: number): Signal => ({
  kind: "turn",
  at: hoursAgo(hours),
  source: "transcript",
  phase: "start",
  byUser: true,
});
const commit = (at: number, id: string): Signal => ({ kind: "commit", at, source: "workspace", id });

describe("rouse check", () => {
  it("sorts agents by the age of their last sign, and exits with 1 if one is critical", async () => {
    await agent("new", 1, [turn(0.5)]);
    expect(await rouse(home, ["check"])).toMatchObject({ status: 0, stderr: "" });
    await agent("old", 10, [turn(8)]);
    await agent("busy", 20, [turn(13), commit(NOW - 5 * MINUTE, "c1")]);
    const { status, stdout } = await rouse(home, ["check", "--json"]);
    expect(status).toBe(1);
    const { agents } = JSON.parse(stdout);
    expect(agents.map(({ name, category }: Record<string, string>) => [name, category])).toEqual([
      ["busy", "warning"],
      ["old", "critical"],
      ["new", "fresh"],
    ]);
    expect(agents[0].activity.sources).toEqual(["git_commit"]);
    const text = (await rouse(home, ["check"])).stdout;
    expect(text).toContain("1 fresh, 1 warning, 1 critical");
    expect(text).toContain("not auto-resume");
  });

  it("uses only the age if requested, and takes its limits from the configuration", async () => {
    await agent("busy", 20, [turn(13), commit(NOW - 5 * MINUTE, "c1")]);
    const [found] = JSON.parse((await rouse(home, ["check", "--no-activity-check", "--json"])).stdout).agents;
    expect(found).toMatchObject({ category: "auto-resume", activity: null });
    home.env.ROUSE_CHECK_AUTO_RESUME_HOURS = "14";
    const [other] = JSON.parse((await rouse(home, ["check", "--no-activity-check", "--json"])).stdout).agents;
    expect(other).toMatchObject({ category: "critical" });
  });

  it("judges each agent by the hours of its project, wherever the command runs", async () => {
    const project = join(home.path, "project");
    mkdirSync(project);
    writeFileSync(join(project, ".rouse.toml"), "version = 1\n[check]\ncritical_hours = 3\n");
    await agent("strict", 10, [turn(4)], project);
    await agent("usual", 10, [turn(4)]);
    const { agents } = JSON.parse((await rouse(home, ["check", "--json"])).stdout);
    expect(agents.map(({ name, category }: Record<string, string>) => [name, category])).toEqual([
      ["strict", "critical"],
      ["usual", "warning"],
    ]);
  });
});

describe("rouse summary", () => {
  it("reports what each agent did in the period", async () => {
    const ask: Signal = {
      kind: "prompt",
      at: hoursAgo(2),
      source: "hook",
      open: true,
      prompt: "permission",
      question: "May I?",
    };
    const answer: Signal = { kind: "prompt", at: hoursAgo(1), source: "hook", open: false };
    await agent("a", 3, [turn(3), commit(hoursAgo(2.5), "c1"), ask, answer]);
    const { status, stdout } = await rouse(home, ["summary", "--since", "4h", "--json"]);
    expect(status).toBe(0);
    const [found] = JSON.parse(stdout).agents;
    expect(found).toMatchObject({ name: "a", commits: 1 });
    expect(found.states.needs_input).toBe(3600);
    const text = (await rouse(home, ["summary", "--since", "4h"])).stdout;
    expect(text).toMatch(/needs_input\/permission for 60 min, then \w+/);
    expect(text).toContain("1 commit");
  });

  it("answers completely although a long night takes long", async () => {
    const period = Array.from(
      { length: 20_000 },
      (_, i): Signal => ({
        kind: "output",
        at: hoursAgo(8) + i * 1000,
        source: "screen",
        bytes: 10,
      }),
    );
    await agent("a", 9, period);
    const { agents } = JSON.parse((await rouse(home, ["summary", "--since", "9h", "--json"])).stdout);
    expect(agents).toHaveLength(1);
  });

  it("says that there were no agents, and refuses an invalid time", async () => {
    expect((await rouse(home, ["summary"])).stdout).toMatch(/: no agents\.\n$/);
    expect(await rouse(home, ["summary", "--since", "never"])).toMatchObject({ status: 2 });
  });
});

describe("rouse health", () => {
  it("says that there are no agents", async () => {
    expect(await rouse(home, ["health"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^No agents\. Start one with /),
    });
  });

  it("prints no trailing space after a healthy agent", async () => {
    await agent("a", 1, [turn(1)]);
    expect((await rouse(home, ["health", "a"])).stdout).toMatch(/^a: \w+ \(\S+\)\S*(?: \S.*\S)?\n$/);
  });
});

describe("rouse doctor", () => {
  it("reports for each agent what it sees and what not, and suggests fixes", async () => {
    await agent("a", 1, [turn(1)]);
    const { status, stdout } = await rouse(home, ["doctor", "--json"]);
    const { checks } = JSON.parse(stdout);
    const of = (what: string) => checks.find((line: { name: string }) => line.name === what);
    expect(of("daemon")).toMatchObject({ level: "ok" });
    expect(of("journal")).toMatchObject({ level: "ok", message: expect.stringContaining("1 signal of 1 session,") });
    expect(of("agent a")).toMatchObject({
      level: "warn",
      message: "claude-code (spawn): sees transcript; missing: hooks, process",
      fix: expect.stringMatching(/^run `rouse init claude-code`, then restart the agent; normal right after its start/),
    });
    expect(status).toBe(checks.some(({ level }: { level: string }) => level === "fail") ? 1 : 0);
  });
});

describe("without a daemon", () => {
  it("check and summary exit with 69 and say how to start one; doctor only reports it", async () => {
    await new Promise((resolve) => server.close(resolve));
    for (const command of ["check", "summary"]) {
      const { status, stderr } = await rouse(home, [command]);
      expect({ status, stderr }).toEqual({ status: 69, stderr: expect.stringContaining("`rouse up`") });
    }
    expect((await rouse(home, ["doctor"])).stdout).toContain("not running; starts with the first agent");
  });
});

describe("the real daemon", () => {
  it("answers check, summary, doctor and record for a running agent", async () => {
    const own = makeHome("on");
    const json = async (...args: string[]) => JSON.parse((await rouse(own, [...args, "--json"])).stdout);
    try {
      await rouse(own, ["up"]);
      await rouse(own, ["spawn", "--name", "w", "--", "sh", "-c", "echo up; sleep 100"]);
      await until("the daemon to know it", async () => (await json("check")).agents.length === 1);
      expect((await json("check")).agents).toMatchObject([{ name: "w", category: "fresh" }]);
      await until("some seconds in the summary", async () => "starting" in (await json("summary")).agents[0].states);
      const { checks } = await json("doctor");
      expect(checks).toContainEqual(expect.objectContaining({ name: "daemon", level: "ok" }));
      await until("the terminal to be seen", async () =>
        (await json("doctor")).checks.some(
          ({ name, message }: { name: string; message: string }) =>
            name === "agent w" && message.includes("sees screen"),
        ),
      );
      const { recordings } = await json("record", "w", "--for", "1s", "--out", join(own.path, "out"));
      expect(recordings).toMatchObject([{ name: "w", ended: false }]);
    } finally {
      await rouse(own, ["stop", "w", "--grace", "1"]);
      await rouse(own, ["down"]);
      expect(await closeHome(own)).toEqual({ processes: [], sockets: [] });
    }
  });
});
