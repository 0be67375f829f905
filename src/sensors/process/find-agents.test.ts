import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentFinder, type FoundAgent } from "./find-agents.js";
import { readProcTable } from "./proc.js";
import type { ProcessTable } from "./process-table.js";

let home: string;
let work: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "rouse-find-")));
  work = join(home, "work.d");
  mkdirSync(work);
  mkdirSync(join(home, "bin"));
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, "exit");
    process.kill(-(child.pid as number), "SIGKILL");
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
});

/** Starts a program with this name that runs `code` and stays. */
async function start(name: string, code = "", env: Record<string, string> = {}, args: string[] = []): Promise<number> {
  const script = join(home, "bin", name);
  writeFileSync(script, `${code}\nconsole.log("up"); setInterval(() => {}, 1000);`);
  const child = spawn(process.execPath, [script, ...args], {
    cwd: work,
    detached: true,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  await once(child.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  return child.pid as number;
}

async function find(finder = new AgentFinder()): Promise<FoundAgent[]> {
  const found = await finder.find((await readProcTable()) as ProcessTable);
  return found.filter((agent) => agent.cwd?.startsWith(home));
}

function write(path: string, text: string): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const ID = "0b9f7c2e-0000-4000-8000-000000000001";

describe.skipIf(process.platform !== "linux")("AgentFinder", () => {
  it("finds Claude Code by its process and the transcript by its own state file", async () => {
    const pid = await start("claude");
    write(
      join(home, ".claude", "sessions", `${pid}.json`),
      JSON.stringify({ pid, sessionId: ID, cwd: work, status: "idle" }),
    );
    const [agent] = await find();
    const folder = work.replace(/[^a-zA-Z0-9]/g, "-");
    expect(agent).toMatchObject({ kind: "claude-code", pid, cwd: work, innerPids: [], session: null });
    expect(agent?.located).toMatchObject({
      sessionId: ID,
      transcript: join(home, ".claude", "projects", folder, `${ID}.jsonl`),
    });
    const moved = write(join(home, ".claude", "projects", "elsewhere", `${ID}.jsonl`), "");
    expect((await find())[0]?.located?.transcript).toBe(moved);
  });

  it("honours the folders that the process was given", async () => {
    const own = join(home, "own");
    const pid = await start("claude", "", { CLAUDE_CONFIG_DIR: own });
    write(join(own, "sessions", `${pid}.json`), JSON.stringify({ pid, sessionId: ID, cwd: work }));
    expect((await find())[0]?.located).toMatchObject({ sessionId: ID, configFolder: own });
  });

  it("names the session of a background process by its supervisor's id, and finds none in one that has no session yet", async () => {
    const pid = await start("claude", "", { CLAUDE_CODE_SESSION_KIND: "bg" });
    const folder = work.replace(/[^a-zA-Z0-9]/g, "-");
    // Another process may be the one that writes it.
    write(join(home, ".claude", "projects", folder, `${ID}.jsonl`), "");
    expect((await find())[0]?.located).toBeNull();
    const own = { pid, sessionId: ID, cwd: work, kind: "bg", jobId: "4a5f578d" };
    write(join(home, ".claude", "sessions", `${pid}.json`), JSON.stringify(own));
    expect((await find())[0]?.located).toMatchObject({ sessionId: ID, supervisedAs: "4a5f578d" });
  });

  it.each([[["--bg", "mend the test"]], [["attach", "4a5f578d"]]])(
    "takes nothing from the session that %j only starts or shows",
    async (args) => {
      await start("claude", "", {}, args);
      write(join(home, ".claude", "projects", work.replace(/[^a-zA-Z0-9]/g, "-"), `${ID}.jsonl`), "");
      expect((await find())[0]?.located).toBeNull();
    },
  );

  it("reads how long the user lets a command run, from the environment and from settings files", async () => {
    const limit = async () => (await find())[0]?.located?.commandLimitMs;
    await start("claude", "", { BASH_DEFAULT_TIMEOUT_MS: "300000" });
    expect(await limit()).toBe(300_000);
    const set = (folder: string, file: string, value: unknown): string =>
      write(join(folder, ".claude", file), JSON.stringify({ env: { BASH_DEFAULT_TIMEOUT_MS: value } }));
    set(home, "settings.json", 60_000);
    expect(await limit()).toBe(300_000);
    set(work, "settings.local.json", "900000");
    expect(await limit()).toBe(900_000);
    set(work, "settings.json", "soon");
    expect(await limit()).toBe(900_000);
  });

  it("leaves the program its own limit if the user has set none", async () => {
    await start("claude");
    write(join(home, ".claude", "settings.json"), JSON.stringify({ env: { BASH_DEFAULT_TIMEOUT_MS: -1 } }));
    const [agent] = await find();
    expect(agent?.located).toBeDefined();
    expect(agent?.located).not.toHaveProperty("commandLimitMs");
  });

  it("ignores paths in a state file", async () => {
    const pid = await start("claude");
    write(
      join(home, ".claude", "sessions", `${pid}.json`),
      JSON.stringify({ pid, sessionId: "../../secret", cwd: work }),
    );
    expect((await find())[0]?.located?.transcript).toBeNull();
  });

  it("finds Codex's rollout by the open file, and counts wrapper and program once", async () => {
    const rollout = write(
      join(home, ".codex", "sessions", "2026", "05", "04", `rollout-2026-05-04T12-00-00-${ID}.jsonl`),
      "{}\n",
    );
    const inner = write(
      join(home, "bin", "inner", "codex"),
      `require("fs").openSync(${JSON.stringify(rollout)}, "a"); setInterval(() => {}, 1000);`,
    );
    const pid = await start("codex", `require("child_process").spawn(process.execPath, [${JSON.stringify(inner)}]);`);
    let agents = await find();
    for (let tries = 0; tries < 400 && agents[0]?.located?.transcript !== rollout; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      agents = await find();
    }
    expect(agents).toHaveLength(1);
    expect(agents[0]).toMatchObject({ kind: "codex", pid });
    expect(agents[0]?.innerPids).toHaveLength(1);
    expect(agents[0]?.located).toMatchObject({ transcript: rollout, sessionId: ID });
  });

  it("finds a rollout that is not open by its working folder", async () => {
    const pid = await start("codex");
    const day = join(home, ".codex", "sessions", "2026", "05", "04");
    const meta = (cwd: string) => `${JSON.stringify({ type: "session_meta", payload: { id: "x", cwd } })}\n`;
    const right = write(join(day, `rollout-a-${ID}.jsonl`), meta(work));
    write(join(day, "rollout-b-other.jsonl"), meta("/elsewhere"));
    expect((await find())[0]).toMatchObject({ pid, located: { transcript: right } });
  });

  it("does not take the newer rollout of a subagent for that of the session", async () => {
    const pid = await start("codex");
    const day = join(home, ".codex", "sessions", "2026", "05", "04");
    const meta = (source: unknown) => `${JSON.stringify({ type: "session_meta", payload: { cwd: work, source } })}\n`;
    const right = write(join(day, `rollout-a-${ID}.jsonl`), meta("cli"));
    const subagent = write(join(day, "rollout-b-other.jsonl"), meta({ subagent: { thread_spawn: {} } }));
    const later = new Date(Date.now() + 5000);
    utimesSync(subagent, later, later);
    expect((await find())[0]).toMatchObject({ pid, located: { transcript: right } });
  });

  it("finds Gemini's chat by the digest and by the name of the folder", async () => {
    await start("gemini");
    const digest = createHash("sha256").update(work).digest("hex");
    const chat = write(join(home, ".gemini", "tmp", digest, "chats", "session-1.jsonl"), "");
    expect((await find())[0]?.located?.transcript).toBe(chat);
    rmSync(chat);
    write(join(home, ".gemini", "projects.json"), JSON.stringify({ projects: { [work]: "work" } }));
    const named = write(join(home, ".gemini", "tmp", "work", "chats", "session-2.jsonl"), "");
    expect((await find())[0]?.located?.transcript).toBe(named);
  });

  it("ignores sessions that rouse runs for itself, and names the session of those that it started for the user", async () => {
    await start("claude", "", { ROUSE_INTERNAL: "1" });
    const pid = await start("codex", "", { ROUSE_SESSION: "s-1" });
    expect(await find()).toMatchObject([{ pid, session: "s-1" }]);
  });

  it("gives the session to the outer of two agents, since the inner one has its environment", async () => {
    const inner = write(join(home, "bin", "inner", "codex"), "setInterval(() => {}, 1000);");
    const shell = `${process.execPath} ${inner} & wait`;
    const outer = await start("claude", `require("child_process").spawn("sh", ["-c", ${JSON.stringify(shell)}]);`, {
      ROUSE_SESSION: "s-1",
    });
    const finder = new AgentFinder();
    let agents = await find(finder);
    for (let tries = 0; tries < 400 && agents.length < 2; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      agents = await find(finder);
    }
    expect(agents.map(({ kind, session }) => ({ kind, session }))).toEqual([
      { kind: "claude-code", session: "s-1" },
      { kind: "codex", session: null },
    ]);
    expect(agents[0]?.pid).toBe(outer);
  });

  it("does not guess which of two agents in one folder writes the newest transcript", async () => {
    await start("claude");
    await start("claude");
    const folder = join(home, ".claude", "projects", work.replace(/[^a-zA-Z0-9]/g, "-"));
    write(join(folder, `${ID}.jsonl`), "");
    const agents = await find();
    expect(agents.map((agent) => agent.located?.transcript)).toEqual([null, null]);
  });

  it("recognises a program that replaced another process of the same name", async () => {
    const node = join(home, "bin", "node");
    symlinkSync("/bin/sh", node);
    const claude = write(join(home, "bin", "claude"), "echo claude; read line");
    const before = write(join(home, "bin", "before"), `echo before; read line; exec '${node}' '${claude}'`);
    const child = spawn(node, [before], { cwd: work, detached: true, stdio: ["pipe", "pipe", "inherit"] });
    started.push(child);
    const finder = new AgentFinder();
    await once(child.stdout, "data");
    expect(await find(finder)).toEqual([]);
    child.stdin.write("\n");
    await once(child.stdout, "data");
    expect(await find(finder)).toMatchObject([{ kind: "claude-code", pid: child.pid }]);
  });

  it("forgets a process that has ended", async () => {
    const finder = new AgentFinder();
    await start("opencode");
    expect(await find(finder)).toHaveLength(1);
    const [child] = started;
    const ended = once(child as ChildProcess, "exit");
    process.kill(child?.pid as number, "SIGKILL");
    await ended;
    expect(await find(finder)).toHaveLength(0);
  });

  it("finds OpenCode's database, and ignores it if two agents share a folder and a database", async () => {
    const pid = await start("opencode", "", { XDG_DATA_HOME: join(home, "data") }, ["--session", "ses_abc"]);
    const [agent] = await find();
    expect(agent).toMatchObject({ kind: "opencode", pid });
    const path = join(home, "data", "opencode", "opencode.db");
    expect(agent?.located?.database).toMatchObject({ path, directory: work, session: "ses_abc" });
    await start("opencode", "", { XDG_DATA_HOME: join(home, "data") });
    const both = await find();
    expect(both.map(({ located }) => located?.database)).toEqual([undefined, undefined]);
  });
});
