/** `rouse audit` with real commands, with and without a daemon, inside and outside of agents, and over tampered files. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditLineView } from "../../src/api/service/audit.js";
import { rousePaths } from "../../src/config/paths.js";
import { loadSqlite } from "../../src/store/sqlite.js";
import { listSessions } from "../../src/terminal/registry.js";
import { reaches, spawnFake } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse } from "../support/hosts.js";
import { rouseInside, spawnFakeRunner } from "../support/inside.js";

let home: Home;

beforeAll(async () => {
  home = makeHome("on");
  home.env.HOME = home.path;
  await spawnFakeRunner(home, "asker", { steps: [{ do: "idle", ms: 500 }, { do: "ask" }, { do: "idle" }], logs: true });
  await spawnFake(home, "web", { steps: [{ do: "idle" }, { do: "stream" }], logs: true });
  await reaches(home, "asker", "needs_input/permission");
  await reaches(home, "web", "idle");
}, 120_000);

afterAll(async () => {
  await rouse(home, ["up"]);
  for (const { name, isAlive } of listSessions(rousePaths(home.env)))
    if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
}, 60_000);

async function run(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await rouse(home, args);
  expect([args, status, stderr]).toMatchObject([args, 0, expect.anything()]);
  return stdout;
}

async function lines(...args: string[]): Promise<AuditLineView[]> {
  return (JSON.parse(await run("audit", "--json", ...args)) as { lines: AuditLineView[] }).lines;
}
const last = async (count: number): Promise<AuditLineView[]> => (await lines()).slice(-count);

async function doctor(): Promise<{ level: string; message: string } | undefined> {
  const { stdout } = await rouse(home, ["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; level: string; message: string }[] };
  return checks.find(({ name }) => name === "audit trail");
}

const USER = { author: "user", origin: "cli" } as const;

describe("the audit trail", () => {
  it("has every change that a user makes on the command line, with its outcome", async () => {
    await run("allow", "web");
    await run("silence", "web", "--for", "1h");
    await run("silence", "web", "--off");
    await run("type", "web", "go on");
    const token = (await run("token", "create", "orch", "--right", "read")).trim();
    await run("token", "revoke", "orch");
    await run("alert", "add", "terminal", "--no-test");
    const refused = await rouse(home, ["fleet", "join", "lab", "--url", "postgresql://nobody@127.0.0.1:1/none"]);
    expect(refused.status).not.toBe(0);
    expect(await last(8)).toMatchObject([
      { ...USER, action: "allow", agent: "web", result: "done", reason: expect.stringContaining("allow.json") },
      { ...USER, action: "silence", agent: "web", text: "what=web problem=none for_secs=3600", result: "done" },
      { ...USER, action: "silence", agent: "web", text: "what=web problem=none for_secs=none", result: "done" },
      { ...USER, action: "send_input", agent: "web", text: "go on", result: "done" },
      {
        ...USER,
        action: "token",
        text: "create orch read",
        result: "done",
        reason: expect.stringContaining("tokens.json"),
      },
      { ...USER, action: "token", text: "revoke orch", result: "done" },
      {
        ...USER,
        action: "config",
        text: "alert add terminal",
        result: "done",
        reason: expect.stringContaining("config.toml"),
      },
      { ...USER, action: "fleet", text: "join lab", result: "failed" },
    ]);
    expect(JSON.stringify(await lines())).not.toContain(token);
    expect(await run("audit")).toMatch(/^TIME +AUTHOR +INTERFACE +ACTION +AGENT +RESULT +DETAILS\n/);
    expect(await lines("--agent", "web", "--limit", "1")).toMatchObject([{ action: "send_input" }]);
    expect(await lines("--since", "1d", "--agent", "nobody")).toEqual([]);
  });

  it("has every attempt of an agent to answer its own dialog, as the attack made it", async () => {
    for (const args of [
      ["silence", "asker", "--for", "24h"],
      ["allow", "--all"],
      ["type", "asker", "1"],
    ])
      expect((await rouseInside(home, "asker", args)).status).toBe(1);
    const refused = {
      author: "agent asker",
      origin: "cli",
      result: "refused",
      reason: expect.stringContaining("refused inside of"),
    };
    expect(await last(3)).toMatchObject([
      { ...refused, action: "silence", agent: "asker" },
      { ...refused, action: "allow" },
      { ...refused, action: "send_input", agent: "asker", text: expect.stringContaining("text=1") },
    ]);
  });

  it("has what commands did while no daemon ran, and what agents tried then", async () => {
    await run("down");
    await run("token", "create", "later", "--right", "read");
    await run("stop", "web", "--grace", "0");
    expect((await rouseInside(home, "asker", ["token", "create", "evil"])).status).toBe(1);
    await run("up");
    const found = (await lines()).slice(-5);
    expect(found).toMatchObject([
      { ...USER, action: "shut_down" },
      { ...USER, action: "token", text: "create later read", result: "done" },
      { ...USER, action: "stop", agent: "web", result: "done" },
      { author: "agent asker", origin: "cli", action: "token", result: "refused" },
      { author: "rouse", origin: "daemon", action: "start" },
    ]);
  });

  it("has changes of files that no command made, at the next start", async () => {
    await run("down");
    const { config, state } = rousePaths(home.env);
    mkdirSync(join(config, "policies"), { recursive: true });
    writeFileSync(join(state, "allow.json"), JSON.stringify({ all: null, agents: {} }));
    await run("up");
    expect(await lines()).toContainEqual(
      expect.objectContaining({
        author: "unknown",
        action: "file_changed",
        text: expect.stringContaining("allow.json"),
      }),
    );
  });
});

describe("rouse doctor", () => {
  it("finds the audit trail complete, with and without a daemon", async () => {
    const complete = { level: "ok", message: expect.stringMatching(/^\d+ lines, none missing or altered$/) };
    expect(await doctor()).toMatchObject(complete);
    await run("down");
    expect(await doctor()).toMatchObject(complete);
  });

  it("reports an altered and a removed line without a daemon, with one, and until a user accepts it", async () => {
    const database = loadSqlite().open(rousePaths(home.env).journal);
    database.exec(
      "update audit set record = replace(record, 'user', 'rouse') where id = 1; delete from audit where id = 3",
    );
    database.close();
    const expected = { level: "fail", message: expect.stringContaining("line 3 is missing") };
    expect(await doctor()).toMatchObject(expected);
    await run("up");
    expect(await doctor()).toMatchObject(expected);
    expect((await rouseInside(home, "asker", ["audit", "--accept"])).status).toBe(1);
    expect(await run("audit", "--accept")).toMatch(/^Accepted:\n[\s\S]*line 3 is missing/);
    expect(await doctor()).toMatchObject({ level: "ok" });
    expect(await run("audit", "--accept")).toBe("Nothing to accept: the audit trail is complete.\n");
  });

  it("reports a journal that was deleted while no daemon ran", async () => {
    await run("down");
    const { journal, state } = rousePaths(home.env);
    const newest = (JSON.parse(readFileSync(join(state, "audit-head.json"), "utf8")) as { id: number }).id;
    for (const suffix of ["", "-wal", "-shm", "-sums"]) rmSync(journal + suffix, { force: true });
    expect(await doctor()).toMatchObject({ level: "fail", message: "the journal was removed" });
    await run("up");
    expect(await doctor()).toMatchObject({ level: "fail", message: `lines 1 to ${newest} are missing` });
  });
});
