/** Agents that exist for rouse by their reports alone, over the services that their two routes use. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, TestLoop } from "../../../test/support/loops.js";
import { AgentSettings } from "../../daemon/agent-settings.js";
import type { Right } from "../../daemon/http/tokens.js";
import { profileFor } from "../../programs/registry.js";
import { TaskChecks } from "../../work/checks.js";
import { NodeHub } from "../../work/node-hub.js";
import { type Identity, identify } from "../identity.js";
import { ReportService } from "./reports.js";
import { TaskService } from "./tasks.js";
import { AGENTS_PER_TOKEN, endSilentAgents, SILENT_MS, UnseenAgents } from "./unseen-agents.js";

/** Virtual seconds. */
const MIN = 60;

let state: string;
let test: TestLoop;
let hub: NodeHub;
let tasks: TaskService;
let reports: ReportService;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "rouse-unseen-"));
  test = new TestLoop();
  test.loop.register(agent({ name: "lab-local", id: "s1", pid: 2_000_001 }));
  hub = new NodeHub({ state, node: "here", instance: "i", version: "1", now: () => test.hand.wall });
  tasks = new TaskService({
    loop: test.loop,
    hub,
    checks: new TaskChecks(state),
    tuning: new AgentSettings(state, [], profileFor),
  });
  reports = new ReportService({ loop: test.loop });
});
afterEach(async () => {
  await hub.close();
  test.close();
  rmSync(state, { recursive: true, force: true });
});

const token = (name = "lab", pattern: string | null = "lab-*", rights: Right[] = ["report"]): Promise<Identity> =>
  identify(test.loop, {
    name,
    token: `digest of ${name}`,
    rights: new Set<Right>(rights),
    scope: { agents: [], inboxes: [], pattern: pattern ?? undefined },
  });

const addTask = async (steps: readonly string[] = ["One", "Two"]): Promise<number> =>
  (await (await hub.open()).add({ title: "Fix it", steps }, "user")).id;
const detail = async (task: number) => (await hub.open()).get(task);
const stateOf = (name: string): string => {
  const found = test.loop.find(name);
  return found ? `${found.assessment.state}/${found.assessment.cause ?? ""}` : "none";
};
const names = (): string[] => test.loop.sessions().map(({ session }) => session.name);

describe("an agent that rouse cannot see", () => {
  it("is created by its first checkpoint, which claims the task before it", async () => {
    const task = await addTask();
    const stored = await tasks.checkpoint({ agent: "lab-1", task, step: 1, text: "Reproduced it" }, await token());
    expect(stored).toMatchObject({ task, steps: 2, completed_steps: expect.arrayContaining([1]) });
    const { claim, checkpoints, status, worker } = await detail(task);
    expect({ status, worker, lease: claim?.leaseMs }).toEqual({
      status: "in_progress",
      worker: "lab-1",
      lease: 3_600_000,
    });
    expect(checkpoints.map(({ text }) => text)).toEqual(["Claimed", "Reproduced it"]);
    expect(test.loop.find("lab-1")?.session).toMatchObject({ origin: "report", pid: null, endedAt: null });
    await tasks.checkpoint({ agent: "lab-1", text: "went on" }, await token());
    expect((await detail(task)).claims).toHaveLength(1);
  });

  it("is created by its first report, and judged by its reports alone", async () => {
    await reports.report({ agent: "lab-1" }, { state: "working", text: "compiling" }, await token());
    test.run(MIN, "silent");
    expect(stateOf("lab-1")).toBe("working/");
    await reports.report({ agent: "lab-1" }, { state: "needs_input", text: "Which branch?" }, await token());
    expect(stateOf("lab-1")).toBe("needs_input/input");
    await reports.report({ agent: "lab-1" }, { state: "working" }, await token());
    test.run(19 * MIN, "silent");
    expect(stateOf("lab-1")).toBe("working/");
    await reports.report({ agent: "lab-1" }, { heartbeat: true }, await token());
    test.run(19 * MIN, "silent");
    expect(stateOf("lab-1")).toBe("working/");
    test.run(2 * MIN, "silent");
    expect(stateOf("lab-1")).toBe("unknown/");
    expect(test.loop.find("lab-1")?.assessment.reasons[0]).toContain("rouse cannot see this agent");
  });

  it("with a task is stuck when its checkpoints stop, and working again with the next one", async () => {
    const task = await addTask();
    await tasks.checkpoint({ agent: "lab-1", task, step: 1, text: "one" }, await token());
    test.run(19 * MIN, "silent");
    expect(stateOf("lab-1")).toBe("working/");
    test.run(3 * MIN, "silent");
    expect(stateOf("lab-1")).toBe("stuck/no_checkpoint");
    await tasks.checkpoint({ agent: "lab-1", step: 2, text: "two" }, await token());
    expect(stateOf("lab-1")).toBe("working/");
  });

  it("closes its task with a report of completion, once no step is left", async () => {
    const task = await addTask();
    await tasks.checkpoint({ agent: "lab-1", task, step: 1, text: "one" }, await token());
    await tasks.closeReported("lab-1", await token());
    expect((await detail(task)).status).toBe("in_progress");
    await tasks.checkpoint({ agent: "lab-1", step: 2, text: "two" }, await token());
    await tasks.closeReported("lab-1", await token());
    expect(await detail(task)).toMatchObject({ status: "done", verification: "unverified", claim: null });
  });

  it("whose task was taken over has its late checkpoints refused and recorded", async () => {
    const task = await addTask();
    await tasks.checkpoint({ agent: "lab-1", task, step: 1, text: "one" }, await token());
    const store = await hub.open();
    const { claim } = await store.get(task);
    if (!claim) throw new Error("no claim");
    await store.takeOver(claim, { agent: "lab-2", session: "other" }, "no checkpoint");
    for (const given of [{ task }, {}])
      await expect(
        tasks.checkpoint({ agent: "lab-1", ...given, step: 2, text: "late" }, await token()),
      ).rejects.toMatchObject({ name: "ApiProblem" });
    expect((await detail(task)).completedSteps).not.toContain(2);
    const refused = await store.events({ task, kind: "checkpoint_refused" });
    expect(refused).toHaveLength(1);
  });

  it("ends after a day without a report, and its next report is a new session", async () => {
    await reports.report({ agent: "lab-1" }, { state: "complete" }, await token());
    const first = test.loop.find("lab-1")?.session.id;
    endSilentAgents(test.loop, test.loop.now() + SILENT_MS);
    expect(test.loop.find("lab-1")?.session.endedAt).toBeNull();
    endSilentAgents(test.loop, test.loop.now() + SILENT_MS + 1);
    expect(test.loop.find("lab-1")?.session.endedAt).not.toBeNull();
    await reports.report({ agent: "lab-1" }, { state: "working" }, await token());
    expect(test.loop.find("lab-1")?.session.endedAt).toBeNull();
    expect(test.loop.find("lab-1")?.session.id).not.toBe(first);
  });

  it("is not reported as unobserved while it reports, and sends no message", async () => {
    await reports.report({ agent: "lab-1" }, { state: "working" }, await token());
    for (let minutes = 0; minutes < 60; minutes += 10) {
      test.run(10 * MIN, "silent");
      await reports.report({ agent: "lab-1" }, { state: "working" }, await token());
    }
    expect(test.loop.incidents.incidents.filter(({ agent: name }) => name === "lab-1")).toEqual([]);
  });
});

describe("a token with a pattern", () => {
  const refused = { kind: "identity" };

  it("creates no agent with another name, and reports about none", async () => {
    const task = await addTask();
    for (const name of ["prod-1", "lab", "LAB-1", "lab-1\n", "lab-\u001b[2J", "rouse", "%1", "s1", ""]) {
      await expect(reports.report({ agent: name }, { state: "working" }, await token()), name).rejects.toMatchObject(
        refused,
      );
      await expect(tasks.checkpoint({ agent: name, task, text: "x" }, await token()), name).rejects.toMatchObject(
        refused,
      );
    }
    expect(names()).toEqual(["lab-local"]);
    expect((await detail(task)).status).toBe("pending");
  });

  it("does not report about an agent that rouse sees, even if its name matches", async () => {
    const task = await addTask();
    await expect(reports.report({ agent: "lab-local" }, { state: "error" }, await token())).rejects.toMatchObject(
      refused,
    );
    await expect(tasks.checkpoint({ agent: "lab-local", task, text: "x" }, await token())).rejects.toMatchObject(
      refused,
    );
    test.loop.register(agent({ name: "lab-local", id: "s1", pid: 2_000_001, endedAt: test.loop.now() }));
    await expect(reports.report({ agent: "lab-local" }, { state: "error" }, await token())).rejects.toMatchObject(
      refused,
    );
    expect(test.loop.find("lab-local")?.evidence.report).toBeNull();
  });

  it("does not report about an agent of another token with the same or a similar name", async () => {
    await reports.report({ agent: "lab-1" }, { state: "working" }, await token("lab"));
    for (const other of ["lab2", "la", "l", "lab-1"])
      await expect(
        reports.report({ agent: "lab-1" }, { state: "error" }, await token(other)),
        other,
      ).rejects.toMatchObject(refused);
    expect(test.loop.find("lab-1")?.evidence.report?.state).toBe("working");
  });

  it("cannot use a session that only looks like one of its own", async () => {
    test.loop.register(agent({ name: "lab-9", id: "lab:forged", pid: 2_000_009 }));
    await expect(reports.report({ agent: "lab-9" }, { state: "error" }, await token())).rejects.toMatchObject(refused);
    await expect(reports.report({ agent: "lab:forged" }, { state: "error" }, await token())).rejects.toMatchObject(
      refused,
    );
  });

  it("loses its agents with its pattern", async () => {
    await reports.report({ agent: "lab-1" }, { state: "working" }, await token());
    await expect(
      reports.report({ agent: "lab-1" }, { state: "error" }, await token("lab", "other-*")),
    ).rejects.toMatchObject(refused);
    await expect(
      reports.report({ agent: "lab-1" }, { state: "error" }, await token("lab", null)),
    ).rejects.toMatchObject(refused);
  });

  it("has to name the agent", async () => {
    await expect(reports.report({}, { state: "working" }, await token())).rejects.toMatchObject({ kind: "unknown" });
    await expect(tasks.checkpoint({ text: "x" }, await token())).rejects.toMatchObject({ kind: "unknown" });
  });

  it("creates an agent once, however many first reports arrive together", async () => {
    const given = await token();
    await Promise.all(
      Array.from({ length: 20 }, () => reports.report({ agent: "lab-1" }, { state: "working" }, given)),
    );
    expect(names().filter((name) => name === "lab-1")).toHaveLength(1);
  });

  it(`has at most ${AGENTS_PER_TOKEN} agents, and another token still creates its own`, async () => {
    const sessions = Array.from({ length: AGENTS_PER_TOKEN }, (_, n) => ({
      session: agent({ name: `lab-${n}`, id: `lab:${n}`, origin: "report" }),
    }));
    const added: string[] = [];
    const unseen = new UnseenAgents({
      sessions: () => sessions as unknown as ReturnType<typeof test.loop.sessions>,
      register: ({ name }) => added.push(name),
      ingest: async () => 0,
      now: () => 0,
    });
    await expect(unseen.create(await token(), "lab-more")).rejects.toMatchObject({ kind: "full" });
    expect(await unseen.create(await token(), "lab-7")).toMatchObject({ id: "lab:7" });
    await unseen.create(await token("other"), "lab-other");
    const [first] = sessions;
    if (first) first.session.endedAt = 1;
    await unseen.create(await token(), "lab-more");
    expect(added).toEqual(["lab-other", "lab-more"]);
  });

  it("creates no agent for a checkpoint that is refused", async () => {
    const task = await addTask();
    const given = await token();
    const blocked = (await (await hub.open()).add({ title: "later", blockedBy: [task] }, "user")).id;
    await expect(tasks.checkpoint({ agent: "lab-1", text: "x" }, given)).rejects.toMatchObject({ kind: "bad" });
    await expect(tasks.checkpoint({ agent: "lab-1", task: 99, text: "x" }, given)).rejects.toMatchObject({
      kind: "unknown",
    });
    await expect(tasks.checkpoint({ agent: "lab-1", task, step: 3, text: "x" }, given)).rejects.toThrow("no step 3");
    await expect(tasks.checkpoint({ agent: "lab-1", task: blocked, text: "x" }, given)).rejects.toThrow("blocked by");
    await expect(reports.report({ agent: "lab-1" }, {}, given)).rejects.toMatchObject({ kind: "bad" });
    await tasks.checkpoint({ agent: "lab-2", task, text: "mine" }, given);
    await expect(tasks.checkpoint({ agent: "lab-1", task, text: "x" }, given)).rejects.toThrow("claimed by lab-2");
    expect(names()).toEqual(["lab-local", "lab-2"]);
  });
});
