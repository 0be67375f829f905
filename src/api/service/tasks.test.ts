import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, TestLoop } from "../../../test/support/loops.js";
import { rousePaths } from "../../config/paths.js";
import { AgentSettings } from "../../daemon/agent-settings.js";
import { type Client, RIGHTS, type Right } from "../../daemon/http/tokens.js";
import { profileFor } from "../../programs/registry.js";
import { TaskChecks } from "../../work/checks.js";
import { keepState } from "../../work/keep-state.js";
import { NodeHub } from "../../work/node-hub.js";
import { type Identity, identify } from "../identity.js";
import { TaskService } from "./tasks.js";

let state: string;
let test: TestLoop;
let hub: NodeHub;
let tasks: TaskService;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "rouse-tasks-"));
  test = new TestLoop();
  test.loop.register(agent({ name: "api", id: "s1", pid: 2_000_001 }));
  test.loop.register(agent({ name: "web", id: "s2", pid: 2_000_002 }));
  hub = new NodeHub({ state, node: "lab", instance: "i", version: "1" });
  tasks = new TaskService({
    loop: test.loop,
    hub,
    checks: new TaskChecks(state),
    tuning: new AgentSettings(state, [], profileFor),
  });
});
afterEach(async () => {
  await hub.close();
  test.close();
  rmSync(state, { recursive: true, force: true });
});

const client = (more: Partial<Client> = {}): Promise<Identity> =>
  identify(test.loop, { name: "user", rights: new Set<Right>(RIGHTS), ...more });
const user = (): Promise<Identity> => client();
const inside = (session: string): Promise<Identity> => client({ caller: { session } });
const withToken = (...agents: string[]): Promise<Identity> =>
  client({ name: "t", token: "d", rights: new Set<Right>(["read", "report"]), scope: { agents, inboxes: [] } });

const addTask = async (title = "Fix it"): Promise<number> =>
  (await tasks.add({ title, steps: ["One", "Two"] }, await user())).id;

describe("a claim", () => {
  it("belongs to the agent that the client runs in, and its checkpoints count as progress of that agent", async () => {
    const id = await addTask();
    const { claim } = await tasks.claim({}, await inside("s1"));
    expect(claim).toMatchObject({ task: id, agent: "api", session: "s1", node: "lab", fence: 1 });
    const { completed_steps, steps } = await tasks.checkpoint({ step: 1, text: "done" }, await inside("s1"));
    expect({ completed_steps, steps }).toMatchObject({ completed_steps: expect.arrayContaining([1]), steps: 2 });
    expect(test.loop.find("api")?.evidence.checkpoint).toMatchObject({ checkpointAt: test.loop.now() });
  });

  it("is refused to the user without the name of an agent", async () => {
    await addTask();
    await expect(tasks.claim({}, await user())).rejects.toThrow("name the agent that works on the task");
    expect(await tasks.claim({ agent: "web" }, await user())).toMatchObject({ claim: { agent: "web" } });
    expect(await tasks.claim({}, await inside("s1"))).toEqual({ task: null, claim: null, is_continuation: false });
  });

  it("can be reported about only by its agent, a token that names the agent, and the user", async () => {
    const id = await addTask();
    await tasks.claim({}, await inside("s1"));
    await expect(tasks.checkpoint({ task: id, text: "x" }, await inside("s2"))).rejects.toThrow(
      `web does not hold task ${id}; it holds none`,
    );
    await expect(tasks.checkpoint({ agent: "api", text: "x" }, await inside("s2"))).rejects.toMatchObject({
      kind: "identity",
    });
    await expect(
      tasks.finish({ task: id, outcome: "done", agent: "api" }, await withToken("web")),
    ).rejects.toMatchObject({
      kind: "identity",
    });
    await tasks.checkpoint({ text: "by token" }, await withToken("api"));
    await tasks.checkpoint({ task: id, text: "by the user" }, await user());
    const { checkpoints } = await tasks.show(id);
    expect(checkpoints.map(({ text }) => text)).toEqual(["Claimed", "by token", "by the user"]);
  });

  it("ends with its result, and a late checkpoint is refused", async () => {
    const id = await addTask();
    await tasks.claim({}, await inside("s1"));
    expect(await tasks.finish({ task: id, outcome: "blocked", error: "no key" }, await inside("s1"))).toMatchObject({
      status: "blocked",
      last_error: "no key",
      claim: null,
    });
    await expect(tasks.checkpoint({ task: id, text: "late" }, await inside("s1"))).rejects.toThrow("does not hold");
  });
});

describe("a checkpoint", () => {
  it("of a step that does not exist is refused, and a repeated request is stored once", async () => {
    const id = await addTask();
    await tasks.claim({}, await inside("s1"));
    await expect(tasks.checkpoint({ step: 3, text: "x" }, await inside("s1"))).rejects.toMatchObject({
      kind: "bad",
      message: `task ${id} has no step 3; its steps are 1 to 2`,
    });
    for (let n = 0; n < 2; n++) await tasks.checkpoint({ step: 1, text: "x", request_id: "r" }, await inside("s1"));
    expect((await tasks.show(id)).checkpoints).toHaveLength(2);
  });
});

describe("the check of a task", () => {
  it("is set by the user alone: it is a command", async () => {
    const task = { title: "x", check: ["sh", "-c", "evil"] };
    for (const other of [await inside("s1"), await withToken("api"), await client({ token: "d" })])
      await expect(tasks.add(task, other)).rejects.toMatchObject({ kind: "identity" });
    await expect(tasks.edit(await addTask(), { check: ["true"] }, await inside("s1"))).rejects.toThrow(
      "only you can set",
    );
    expect(await tasks.add(task, await user())).toMatchObject({ check: ["sh", "-c", "evil"] });
  });
});

describe("a task that is reported as done", () => {
  const check = (script: string): string[] => [process.execPath, "-e", script];
  const claimedWith = async (command: string[] | null): Promise<number> => {
    const { id } = await tasks.add({ title: "x", check: command, workspace: state }, await user());
    await tasks.claim({ task: id }, await inside("s1"));
    return id;
  };
  const done = async (task: number) => tasks.finish({ task, outcome: "done" }, await inside("s1"));

  it("is closed as verified if its check passes, in its workspace", async () => {
    const id = await claimedWith(check('require("fs").writeFileSync("proof", "")'));
    expect(await done(id)).toMatchObject({ status: "done", verification: "verified", claim: null });
    expect(existsSync(join(state, "proof"))).toBe(true);
  });

  it("stays with its holder if its check fails, and the holder learns why", async () => {
    const id = await claimedWith(check('console.log("2 tests failed"); process.exitCode = 1'));
    await expect(done(id)).rejects.toThrow(
      /^task 1 stays in_progress: its check failed: `.*` exited with 1\nEnd of its output:\n2 tests failed$/s,
    );
    const shown = await tasks.show(id);
    expect(shown).toMatchObject({ status: "in_progress", verification: "contradicted", claim: { agent: "api" } });
    expect(shown.comments).toMatchObject([{ author: "rouse", text: expect.stringContaining("2 tests failed") }]);
    await tasks.checkpoint({ text: "trying again" }, await inside("s1"));
  });

  it("is not closed by the user either while its check fails or cannot run", async () => {
    const id = await claimedWith(check("process.exit(1)"));
    await expect(tasks.decide(id, { decision: "done" }, await user())).rejects.toThrow("its check failed");
    await tasks.edit(id, { workspace: join(state, "gone") }, await user());
    await expect(tasks.decide(id, { decision: "done" }, await user())).rejects.toThrow("its check has no result");
    expect(await tasks.show(id)).toMatchObject({ status: "in_progress", verification: "unverified" });
    await tasks.edit(id, { check: null }, await user());
    expect(await tasks.decide(id, { decision: "done" }, await user())).toMatchObject({
      status: "done",
      verification: "unverified",
    });
  });

  it("runs one check for two reports at once, and the second one finds the task closed", async () => {
    const id = await claimedWith(check('require("fs").appendFileSync("runs", "x"); setTimeout(() => {}, 300)'));
    const results = await Promise.allSettled([done(id), done(id)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(readFileSync(join(state, "runs"), "utf8")).toBe("x");
  });

  it("is verified by the check of the user's own configuration, never by one of a project file or a variable", async () => {
    process.env.ROUSE_HOME = state;
    process.env.ROUSE_WORK_CHECK = "true";
    try {
      const id = await claimedWith(null);
      writeFileSync(join(state, ".rouse.toml"), '[work]\ncheck = ["false"]\n[projects.""]\ncheck = ["false"]\n');
      mkdirSync(join(state, "config"), { recursive: true });
      const own = join(rousePaths().config, "config.toml");
      writeFileSync(own, '[work]\ncheck = ["false"]\n[projects.shop]\ncheck = ["true"]\n');
      await expect(done(id)).rejects.toThrow("its check failed: `false` exited with 1");
      await tasks.edit(id, { project: "shop" }, await user());
      expect(await done(id)).toMatchObject({ status: "done", verification: "verified" });
      writeFileSync(own, '[projects.shop]\ncheck = "true"\n');
      await tasks.decide(id, { decision: "reopen" }, await user());
      await expect(tasks.decide(id, { decision: "done" }, await user())).rejects.toThrow("must have the one key check");
      writeFileSync(own, "");
      expect(await tasks.decide(id, { decision: "done" }, await user())).toMatchObject({ status: "done" });
    } finally {
      delete process.env.ROUSE_HOME;
      delete process.env.ROUSE_WORK_CHECK;
    }
  });
});

describe("a second attempt of a task", () => {
  it("is a task of its own in a worktree of its own, and names the steps that were reported until then", async () => {
    const top = join(state, "shop");
    mkdirSync(top);
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", top, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    const steps = ["One", "Two"];
    const { id } = await tasks.add({ title: "Fix it", steps, workspace: top, check: ["true"] }, await user());
    await tasks.claim({ task: id }, await inside("s1"));
    writeFileSync(join(top, "a.txt"), "good");
    await keepState({ folder: top, task: id, reason: "tests passed", now: Date.now() });
    const { checkpoint } = await tasks.checkpoint({ step: 1, text: "first half" }, await inside("s1"));
    writeFileSync(join(top, "a.txt"), "damaged");
    await tasks.checkpoint({ step: 2, text: "second half" }, await inside("s1"));
    await expect(tasks.fork({ task: id, at: 999 }, await user())).rejects.toThrow(`task ${id} has no checkpoint 999`);
    const second = await tasks.fork({ task: id, at: checkpoint.id }, await user());
    expect(second).toMatchObject({
      title: "Fix it",
      steps,
      parent: id,
      status: "pending",
      check: ["true"],
      claim: null,
    });
    expect(second.diagnosis).toContain("Reported as completed then: 1.");
    expect(readFileSync(join(second.workspace ?? "", "a.txt"), "utf8")).toBe("good");
    expect(await tasks.show(id)).toMatchObject({
      status: "in_progress",
      claim: { agent: "api" },
      completed_steps: [1, 2],
    });
  });

  it("is refused without a workspace, outside of a repository, and while nothing was kept; no task is added", async () => {
    const { id } = await tasks.add({ title: "x" }, await user());
    await tasks.claim({ task: id }, await inside("s1"));
    const at = (await tasks.show(id)).checkpoints[0]?.id ?? 0;
    await expect(tasks.fork({ task: id, at }, await user())).rejects.toThrow("has no workspace");
    await tasks.edit(id, { workspace: state }, await user());
    await expect(tasks.fork({ task: id, at }, await user())).rejects.toThrow("is in no git repository");
    execFileSync("git", ["-C", state, "-c", "user.name=a", "-c", "user.email=a@b", "init", "-q"]);
    await expect(tasks.fork({ task: id, at }, await user())).rejects.toThrow("has no commit yet");
    expect((await tasks.list({ limit: 10 })).tasks).toHaveLength(1);
  });
});

describe("a comment", () => {
  it("of the agent that holds the task counts as progress, any other does not", async () => {
    const id = await addTask();
    await tasks.claim({}, await inside("s1"));
    const before = test.loop.find("web")?.evidence.checkpoint.checkpointAt;
    await tasks.comment(id, "from web", undefined, await inside("s2"));
    expect(test.loop.find("web")?.evidence.checkpoint.checkpointAt).toBe(before);
    await tasks.comment(id, "from api", undefined, await inside("s1"));
    expect(test.loop.find("api")?.evidence.checkpoint.text).toContain("from api");
  });
});

describe("a lock", () => {
  it("is released only by its holder or the user", async () => {
    const lock = { project: "shop", name: "merge" };
    await tasks.takeLock(lock, await inside("s1"));
    await expect(tasks.takeLock(lock, await inside("s2"))).rejects.toThrow("is held by api on lab");
    expect(await tasks.releaseLock(lock, await inside("s2"))).toEqual({ released: false });
    expect(await tasks.releaseLock(lock, await user())).toEqual({ released: true });
  });
});
