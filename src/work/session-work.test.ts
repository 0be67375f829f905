import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent } from "../../test/support/loops.js";
import type { MarkedCheckpoint, Signal, Todos } from "../core/signal.js";
import type { Hub } from "../hub/hub.js";
import { keptStates } from "./keep-state.js";
import { NodeHub } from "./node-hub.js";
import { SessionWork } from "./session-work.js";

let home: string;
let top: string;
let node: NodeHub;
let hub: Hub;
let now = 0;
let work: SessionWork;
let lines: string[];
let told: { session: string; signal: unknown }[];
let todos: Todos | null;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "rouse-work-"));
  top = join(home, "shop");
  mkdirSync(top);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", top, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  now = 1_800_000_000_000;
  lines = [];
  node = new NodeHub({ state: home, node: "lab", instance: "i", version: "1", now: () => now });
  hub = await node.open();
  told = [];
  todos = null;
  work = new SessionWork({
    hub: node,
    now: () => now,
    log: (line) => lines.push(line),
    signal: async (session, signal) => {
      told.push({ session, signal });
    },
    todoFiles: async () => todos,
  });
});
afterEach(async () => {
  await node.close();
  rmSync(home, { recursive: true, force: true });
});

const session = () => agent({ name: "api", id: "s1", pid: 2_000_001, workspace: top });
const green = (): Signal => ({ kind: "test", ok: true, digest: "d", at: now, source: "workspace" });
const commit = (id: string): Signal => ({
  kind: "commit",
  id,
  subject: "Add\u001b[31m the endpoint",
  at: now,
  source: "workspace",
});
const claim = async (): Promise<number> => {
  const { id } = await hub.add({ title: "x", workspace: top }, "user");
  await hub.claim(id, { agent: "api", session: "s1" });
  return id;
};
const inferred = async (id: number) => (await hub.get(id)).checkpoints.filter((one) => one.inferred);

describe("the work of a session that holds a task", () => {
  it("is kept when its tests pass, as an inferred checkpoint at which a second attempt can start", async () => {
    const id = await claim();
    writeFileSync(join(top, "a"), "1");
    await work.take(session(), [{ ...green(), ok: false } as Signal]);
    expect(await inferred(id)).toEqual([]);
    await work.take(session(), [green()]);
    const [kept] = await keptStates(top, id);
    expect(await inferred(id)).toMatchObject([
      { source: "tool", text: `Tests passed; state kept as ${kept?.commit.slice(0, 12)}`, step: null },
    ]);
    expect(kept?.at).toBeLessThanOrEqual((await inferred(id))[0]?.at ?? 0);
  });

  it("is recorded by its commits, each once and without control characters", async () => {
    const id = await claim();
    await work.take(session(), [commit("a".repeat(40))]);
    now += 60_000;
    await work.take(session(), [commit("a".repeat(40))]);
    const found = await inferred(id);
    expect(found).toMatchObject([{ source: "commit" }]);
    expect(found[0]?.text).toMatch(/^Commit aaaaaaaaaaaa: Add [^\p{Cc}]*the endpoint$/u);
  });

  it("cannot flood the task", async () => {
    const id = await claim();
    for (let n = 0; n < 50; n++) await work.take(session(), [commit(String(n).padStart(40, "0"))]);
    expect(await inferred(id)).toHaveLength(1);
  });

  it("does not renew its claim: only life and reports of the agent do", async () => {
    const id = await claim();
    const before = (await hub.get(id)).claim?.leaseUntil;
    now += 60_000;
    await work.take(session(), [commit("b".repeat(40))]);
    expect((await hub.get(id)).claim?.leaseUntil).toBe(before);
  });

  it("is left alone if the session holds no task, and a workspace that is no repository is only logged", async () => {
    const id = await claim();
    await work.take({ ...session(), id: "s2" }, [green()]);
    expect([await keptStates(top, id), lines]).toEqual([[], []]);
    await hub.edit(id, { workspace: home }, "user");
    await work.take(session(), [green()]);
    expect(lines).toEqual([`the state of task ${id} was not kept: ${home} is in no git repository`]);
  });
});

describe("a marked line of a reply", () => {
  const reply = (...checkpoints: MarkedCheckpoint[]): Signal => ({
    kind: "message",
    role: "assistant",
    digest: "d",
    checkpoints,
    at: now,
    source: "transcript",
  });
  const marked = async (id: number) =>
    (await hub.get(id)).checkpoints
      .filter(({ source }) => source === "marker")
      .map(({ step, text }) => ({ step, text }));

  it("is a checkpoint of the task that the session holds, also for the judgement", async () => {
    const id = await claim();
    await hub.edit(id, { steps: ["One", "Two"] }, "user");
    now += 1000;
    await work.take(session(), [reply({ task: id, step: 1, text: "one" }, { text: "going on" })]);
    expect(await marked(id)).toEqual([
      { step: 1, text: "one" },
      { step: null, text: "going on" },
    ]);
    expect((await hub.get(id)).completedSteps).toContain(1);
    expect(told).toMatchObject([
      { session: "s1", signal: { kind: "checkpoint", task: String(id), step: 1, at: now, source: "transcript" } },
      { session: "s1", signal: { kind: "checkpoint", task: String(id), text: "going on" } },
    ]);
  });

  it("is nothing for another task, a step that does not exist, an earlier reply, a user, or a hook", async () => {
    const id = await claim();
    await hub.edit(id, { steps: ["One"] }, "user");
    const other = (await hub.add({ title: "other" }, "user")).id;
    await hub.claim(other, { agent: "web", session: "s2" });
    await work.take(session(), [
      reply({ task: other, text: "not mine" }),
      reply({ task: 99, text: "none" }),
      reply({ task: id, step: 7, text: "no such step" }),
      { ...reply({ task: id, text: "old" }), at: now - 60_000 },
      { ...reply({ task: id, text: "a prompt" }), role: "user" } as Signal,
      { ...reply({ task: id, text: "a hook" }), source: "hook" },
    ]);
    expect([await marked(id), await marked(other), told]).toEqual([[], [], []]);
    expect(lines.join()).toContain("no step 7");
  });

  it("counts once when two records report it, and all of a batch are stored while an earlier one is under way", async () => {
    const id = await claim();
    now += 1000;
    const signals = [
      reply({ task: id, text: "same" }),
      { ...reply({ task: id, text: "same" }), source: "stream" } as Signal,
    ];
    await Promise.all([...signals, reply({ task: id, text: "next" })].map((signal) => work.take(session(), [signal])));
    expect((await marked(id)).map(({ text }) => text)).toEqual(["same", "next"]);
  });

  it("cannot flood the task", async () => {
    const id = await claim();
    for (let n = 0; n < 100; n++) await work.take(session(), [reply({ task: id, text: `line ${n}` })]);
    expect((await marked(id)).length).toBeLessThanOrEqual(20);
  });
});

describe("a todo list and the outcome of a call", () => {
  const list = (done: number, of: number, last: string, id = `t${done}`): Signal => ({
    kind: "tool_start",
    id,
    tool: "TodoWrite",
    class: "instant",
    call: "c",
    todos: { done, of, last },
    at: now,
    source: "transcript",
  });
  const texts = async (id: number): Promise<string[]> => (await inferred(id)).map(({ text }) => text);

  it("becomes an inferred checkpoint when more items are done, and a change within 30 s follows later", async () => {
    const id = await claim();
    await work.take(session(), [list(0, 3, "")]);
    await work.take(session(), [list(1, 3, "Read")]);
    await work.take(session(), [list(2, 3, "Fix")]);
    expect(await texts(id)).toEqual(["Todo list: 1 of 3 done; last: Read"]);
    now += 31_000;
    await work.take(session(), [{ kind: "turn", phase: "end", at: now, source: "transcript" }]);
    await work.take(session(), [list(2, 3, "Fix")]);
    expect(await texts(id)).toEqual(["Todo list: 1 of 3 done; last: Read", "Todo list: 2 of 3 done; last: Fix"]);
    expect((await inferred(id)).every(({ source, step }) => source === "todo" && step === null)).toBe(true);
  });

  it("is read from the task files of the program when its tool has written them", async () => {
    const id = await claim();
    todos = { done: 2, of: 5, last: "Fix it" };
    const start = {
      kind: "tool_start",
      id: "u1",
      tool: "TaskUpdate",
      class: "instant",
      call: "c",
      at: now,
      source: "transcript",
    } as const;
    await work.take(session(), [start]);
    expect(await texts(id)).toEqual([]);
    await work.take(session(), [
      { kind: "tool_end", id: "u1", ok: true, outcome: "o", raw: "r", at: now, source: "transcript" },
    ]);
    expect(await texts(id)).toEqual(["Todo list: 2 of 5 done; last: Fix it"]);
  });

  it("of a push that succeeded is recorded, of a failed or nested one it is not", async () => {
    const id = await claim();
    const call = (n: number, ok: boolean, more = {}): Signal[] => [
      {
        kind: "tool_start",
        id: `p${n}`,
        tool: "Bash",
        class: "shell",
        call: "c",
        subject: "git push origin main",
        at: now,
        source: "transcript",
        ...more,
      },
      { kind: "tool_end", id: `p${n}`, ok, outcome: "o", raw: "r", at: now, source: "transcript" },
    ];
    await work.take(session(), [...call(1, false), ...call(2, true, { nested: true }), ...call(3, true)]);
    expect(await texts(id)).toEqual(["Succeeded: git push origin main"]);
  });

  it("of passing tests is recorded without a repository too", async () => {
    const id = await claim();
    await hub.edit(id, { workspace: home }, "user");
    await work.take(session(), [green()]);
    expect(await texts(id)).toEqual(["Tests passed"]);
  });
});
