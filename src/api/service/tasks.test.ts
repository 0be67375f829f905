import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, TestLoop } from "../../../test/support/loops.js";
import { type Client, RIGHTS, type Right } from "../../daemon/http/tokens.js";
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
  tasks = new TaskService({ loop: test.loop, hub });
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
