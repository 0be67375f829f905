import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agent, TestLoop } from "../../../test/support/loops.js";
import { RIGHTS, type Right } from "../../daemon/http/tokens.js";
import { NodeHub } from "../../work/node-hub.js";
import { type Identity, identify } from "../identity.js";
import { OrderLog } from "../order-log.js";
import type { ServiceContext } from "./context.js";
import { startForTask } from "./start-for-task.js";

let home: string;
let test: TestLoop;
let hub: NodeHub;
let context: ServiceContext;
const started: unknown[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "rouse-start-"));
  vi.stubEnv("ROUSE_HOME", home);
  started.length = 0;
  test = new TestLoop();
  // Processes that do not exist: to stop them is to find them ended.
  test.loop.register(agent({ name: "boss", id: "s-boss", pid: 2_000_001 }));
  test.loop.register(agent({ name: "other", id: "s-other", pid: 2_000_002 }));
  test.loop.register(agent({ name: "ann", id: "s-ann", pid: 2_000_003, tags: ["worker"], origin: "spawn" }));
  hub = new NodeHub({ state: home, node: "lab", instance: "i", version: "1" });
  const start = (order: unknown): Promise<unknown> => {
    started.push(order);
    return Promise.resolve({ result: "started", agent: "new", session: "s-new", pid: 1, prompt: null });
  };
  context = {
    loop: test.loop,
    hub,
    effectContext: {},
    orders: new OrderLog(test.journal.audit, { finish: (line, result, reason) => note(line, result, reason) }, () => 0),
    taskStarter: { start },
  } as unknown as ServiceContext;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await hub.close();
  test.close();
  rmSync(home, { recursive: true, force: true });
});

const note = (line: number, result: "done" | "refused" | "failed" | "unknown", reason: string): void =>
  test.journal.audit.outcome(line, { at: 0, result, reason });

const client = (session?: string): Promise<Identity> =>
  identify(test.loop, {
    name: "user",
    rights: new Set<Right>(RIGHTS),
    ...(session === undefined ? {} : { caller: { session } }),
  });

/** A task that this agent holds. */
async function heldBy(name: string): Promise<number> {
  const store = await hub.open();
  const { id } = await store.add({ title: "Fix it" }, "user");
  await store.claim(id, { agent: name, session: `s-${name}` });
  return id;
}

const order = (task: number) => ({
  as: "coder",
  task: String(task),
  take_over: true,
  cwd: home,
  tags: [],
  env: {},
  cols: 80,
  rows: 24,
  timeout_secs: 1,
});

const audited = () =>
  test.journal.audit
    .list({ since: 0, agent: null, limit: 10 })
    .map(({ author, action, agent: about, outcome }) => `${author}: ${action} ${about}: ${outcome?.result}`)
    .reverse();

describe("an agent that takes over a task from a running one", () => {
  it("is started by the user after the other one is stopped, with a line in the audit trail for each", async () => {
    await startForTask(context, await client(), order(await heldBy("ann")));
    expect(audited()).toEqual(["user: spawn null: done", "user: stop ann: done"]);
    expect(started).toHaveLength(1);
  });

  it("is not started from inside of an agent if the other one is no worker", async () => {
    const task = await heldBy("other");
    const asked = startForTask(context, { ...(await client("s-boss")), rights: new Set(RIGHTS) }, order(task));
    await expect(asked).rejects.toMatchObject({
      kind: "identity",
      message: expect.stringMatching(
        /may control only workers.*other is not one; run the command in another terminal$/,
      ),
    });
    expect(audited()).toEqual(["agent boss: spawn null: refused"]);
    expect(started).toEqual([]);
  });

  it("is started by an orchestrator if the other one is a worker", async () => {
    await startForTask(context, { ...(await client("s-boss")), rights: new Set(RIGHTS) }, order(await heldBy("ann")));
    expect(audited()).toEqual(["agent boss: spawn null: done", "agent boss: stop ann: done"]);
  });
});
