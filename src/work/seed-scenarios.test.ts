/**
 * The three scenarios of the checkpoint design at their times: agents that rouse cannot see, checkpoints every ten minutes, a
 * check every fifteen, continuations. Only the start of a process is a stand-in.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { Cron } from "croner";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestLoop } from "../../test/support/loops.js";
import { sessionOf } from "../../test/support/sessions.js";
import { START } from "../../test/support/steps.js";
import type { ConfiguredAgent } from "../config/agents.js";
import type { EffectContext } from "../effects/index.js";
import type { HostOrder } from "../terminal/start-host.js";
import type { WorkSignal } from "./claim-keeper.js";
import { NodeHub } from "./node-hub.js";
import { TaskEffects } from "./task-effects.js";
import { TaskStarter } from "./task-starter.js";

const agent: ConfiguredAgent = {
  name: "manus",
  command: [process.execPath, "{prompt}"],
  kind: null,
  prompt: "implementation",
  continuation: "continuation",
  directive: "",
  worktree: false,
  policy: null,
  tags: [],
  env: {},
  minConfidence: null,
};

let folder: string;
let test: TestLoop;
let hub: NodeHub;
let starter: TaskStarter;
let task: number;
/** Times of starts, in minutes after 14:00, with the prompt. */
let starts: { minute: number; prompt: string; session: string }[];

const minute = (): number => (test.hand.wall - START) / 60_000;
const signal = async (session: string, body: WorkSignal): Promise<void> => {
  await test.loop.ingest(session, null, [{ ...body, at: test.loop.now(), source: "report" }]);
};

/** An isolated environment without an interface: no process, no terminal, no records. */
async function startHost({ spec, session = "" }: HostOrder) {
  const { wanted, ...rest } = spec;
  const unseen = { pid: null, pidStart: null, hostSocket: null, startedAt: test.hand.wall };
  test.loop.register(
    sessionOf({ ...rest, ...unseen, id: session, name: wanted ?? "", kind: "generic", origin: "transcript" }),
  );
  starts.push({ minute: minute(), prompt: spec.command.at(-1) ?? "", session });
  return { name: wanted ?? "", session, pid: 1 };
}

async function until(at: number): Promise<void> {
  while (minute() < at) {
    test.run(10, "silent");
    for (let turns = 0; turns < 3; turns++) await turn();
    // Git and the hub take real time.
    while (test.loop.state.running.size > 0) await sleep(5);
  }
}

async function checkpoint(step: number): Promise<void> {
  const { session } = starts.at(-1) as { session: string };
  const store = await hub.open();
  const { claim } = await store.get(task);
  const text = `Completed step ${step}`;
  await store.checkpoint({ task, fence: claim?.fence ?? 0 }, { step, text, source: "sql" });
  await signal(session, { kind: "checkpoint", task: String(task), step, text });
}

const detail = async () => (await hub.open()).get(task);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rouse-scenario-"));
  test = new TestLoop();
  starts = [];
  const paths = { state: folder, config: join(folder, "config"), sessions: join(folder, "sessions") };
  hub = new NodeHub({ state: folder, node: "lab", instance: "i", version: "1", now: () => test.hand.wall });
  const agents = () => new Map([[agent.name, agent]]);
  starter = new TaskStarter({
    hub,
    paths,
    agents,
    startHost,
    type: () => Promise.reject(new Error("not typed")),
    signal,
    minutes: () => ({ checkpoint: 10, stall: 20 }),
    now: () => test.loop.now(),
    env: { PATH: process.env.PATH },
  });
  const context = {
    now: () => test.loop.now(),
    assessment: (session: string) => test.loop.find(session)?.assessment ?? null,
  } as unknown as EffectContext;
  const sessions = { find: (id: string) => test.loop.find(id) };
  const options = { hub, starter, sessions, agents, continueWith: "", context, signal, effectsOf: () => [] };
  const effects = new TaskEffects(options);
  const cron = new Cron("0 */15 * * * *", { paused: true });
  Object.assign(test.stepRules, {
    isAllowed: () => true,
    can: (session) => effects.can(session),
    nextScheduledCheck: (after) => cron.nextRun(new Date(after))?.getTime() ?? null,
  } satisfies Partial<typeof test.stepRules>);
  test.carryOut = async (action, session) => {
    const result = await effects.carryOut(action, session);
    if (!result) throw new Error(`${action.do} is not about a task`);
    return { intent: action.id, at: test.loop.now(), ...result };
  };
  const store = await hub.open();
  const steps = Array.from({ length: 10 }, (_, n) => `part ${n + 1}`);
  task = (await store.add({ title: "Add the feature", steps, workspace: folder }, "user")).id;
  await starter.start({ task, as: "manus" });
});
afterEach(async () => {
  await hub.close();
  test.close();
  rmSync(folder, { recursive: true, force: true });
});

const escalations = (): string[] =>
  test.loop.incidents.incidents.flatMap(({ escalated }) => (escalated ? [escalated.reason] : []));

describe("an agent that rouse cannot see", () => {
  it("is left alone while it reports every ten minutes, and its task is closed by its own result", async () => {
    for (const [at, step] of [
      [10, 2],
      [20, 5],
      [30, 8],
    ] as const) {
      await until(at);
      await checkpoint(step);
    }
    await until(35);
    const { claim } = await detail();
    await (await hub.open()).finish({ task, fence: claim?.fence ?? 0 }, { outcome: "done", result: "built" });
    await signal(starts[0]?.session ?? "", { kind: "claim", task: String(task), phase: "released" });
    await until(65);
    expect(starts).toHaveLength(1);
    expect(await detail()).toMatchObject({ status: "done", continuations: 0 });
    expect(test.loop.incidents.incidents).toEqual([]);
  });

  it("is continued at 14:45 after its last checkpoint at 14:10, from the first open step", async () => {
    await until(10);
    await checkpoint(1);
    await checkpoint(2);
    await until(44.8);
    expect(starts).toHaveLength(1);
    await until(46);
    expect(starts).toHaveLength(2);
    expect(starts[1]?.minute).toBeGreaterThanOrEqual(45);
    expect(starts[1]?.minute).toBeLessThan(46);
    const prompt = starts[1]?.prompt ?? "";
    expect(prompt).toContain("- Completed steps: 1, 2\n- Remaining steps: 3, 4, 5, 6, 7, 8, 9, 10");
    expect(prompt).toContain("Continue with step 3: part 3");
    expect(prompt).toContain("it may still be running");
    const { progress, claim } = await detail();
    expect(progress.map(({ status }) => status)).toEqual(["stalled", "in_progress"]);
    // The stalled session wakes up: what it reports is refused and recorded.
    const store = await hub.open();
    const late = { step: 3, text: "too late", source: "sql" } as const;
    await expect(store.checkpoint({ task, fence: (claim?.fence ?? 0) - 1 }, late)).rejects.toThrow(
      "its writes are refused",
    );
    expect((await store.events({ task })).map(({ kind }) => kind)).toContain("checkpoint_refused");
    for (const step of [3, 4, 5, 6, 7, 8, 9, 10]) await checkpoint(step);
    await store.finish({ task, fence: claim?.fence ?? 0 }, { outcome: "done" });
    expect(await detail()).toMatchObject({ status: "done", continuations: 1 });
    expect(escalations()).toEqual([]);
  });

  it("is continued at most twice; then its task has failed and the user gets the whole history in one text", async () => {
    await until(10);
    await checkpoint(3);
    await until(50);
    expect(starts.map((one) => Math.floor(one.minute))).toEqual([0, 45]);
    await checkpoint(5);
    await until(76);
    expect(starts.map((one) => Math.floor(one.minute))).toEqual([0, 45, 75]);
    expect(starts[2]?.prompt).toContain("This is continuation 2 of at most 2");
    await until(130);
    expect(starts).toHaveLength(3);
    expect(await detail()).toMatchObject({ status: "failed", continuations: 2 });
    expect(escalations()).toHaveLength(1);
    expect(escalations()[0]).toBe(`needs you: task ${task} (Add the feature) failed after 2 continuations`);
    const text = test.loop.incidents.actions.at(-1)?.outcome?.details?.join("\n") ?? "";
    for (const session of ["session 1: manus-1,", "session 2: manus-1-2,", "session 3: manus-1-3,"])
      expect(text).toContain(session);
    expect(text).toContain("completed steps: 3, 5; left: 1, 2, 4, 6, 7, 8, 9, 10");
  });
});
