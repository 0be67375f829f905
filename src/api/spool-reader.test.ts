import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, TestLoop } from "../../test/support/loops.js";
import { AgentSettings } from "../daemon/agent-settings.js";
import { profileFor } from "../programs/registry.js";
import { TaskChecks } from "../work/checks.js";
import { NodeHub } from "../work/node-hub.js";
import { type SpooledReport, spool, spooled } from "../work/spool.js";
import { AccessService } from "./service/access.js";
import { ReportService } from "./service/reports.js";
import type { Services } from "./service/services.js";
import { TaskService } from "./service/tasks.js";
import { SpoolReader } from "./spool-reader.js";

let state: string;
let test: TestLoop;
let hub: NodeHub;
let reader: SpoolReader;
let log: string[];

const SECOND = 1000;
const now = (): number => test.loop.now();
const register = (name: string, id: string, more: Parameters<typeof agent>[0] = {}): number =>
  test.loop.register(agent({ name, id, pid: 2_000_000, startedAt: now(), ...more }));
const report = (
  session: string | null,
  at: number,
  input: Record<string, unknown>,
  parents: SpooledReport["parents"] = [],
): void => {
  expect(spool(state, { operation: "report", at, session, parents, input })).toBeNull();
};
const reported = (name: string): unknown => test.loop.find(name)?.evidence.report;

function openReader(): SpoolReader {
  const services = {
    access: new AccessService({ loop: test.loop } as never),
    reports: new ReportService({ loop: test.loop }),
    tasks: new TaskService({
      loop: test.loop,
      hub,
      checks: new TaskChecks(state),
      tuning: new AgentSettings(state, [], profileFor),
    }),
  } as unknown as Services;
  return new SpoolReader({ paths: { state }, loop: test.loop }, services, (line) => log.push(line));
}

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "rouse-spool-"));
  test = new TestLoop();
  hub = new NodeHub({ state, node: "here", instance: "i", version: "1", now });
  log = [];
  reader = openReader();
  register("api", "s1");
});
afterEach(async () => {
  await hub.close();
  test.close();
  rmSync(state, { recursive: true, force: true });
});

describe("a stored report", () => {
  it("counts at its own time", async () => {
    const at = now() + SECOND;
    report("s1", at, { state: "needs_input", text: "Which branch?" });
    test.run(60, "silent");
    await reader.read();
    expect(reported("api")).toEqual({ state: "needs_input", text: "Which branch?", at });
    expect(spooled(state)).toEqual([]);
  });

  it("does not override a newer one, in whatever order they arrive", async () => {
    const first = now();
    test.run(60, "silent");
    const services = new ReportService({ loop: test.loop });
    const user = { inside: null, token: null, rights: new Set(["report_any"]), scope: { agents: [] } } as never;
    await services.report({ agent: "s1" }, { state: "error", text: "newer" }, user);
    report("s1", first + 1, { state: "complete", text: "older" });
    await reader.read();
    expect(reported("api")).toMatchObject({ state: "error", text: "newer" });
    expect(test.loop.find("api")?.assessment.state).toBe("error");
  });

  it("of two stored ones, the newer one stays", async () => {
    report("s1", now() + 2, { state: "complete" });
    report("s1", now() + 1, { state: "error" });
    test.run(10, "silent");
    await reader.read();
    expect(reported("api")).toMatchObject({ state: "complete" });
  });

  it("never counts in the future", async () => {
    report("s1", now() + 3_600_000, { state: "error" });
    await reader.read();
    expect(reported("api")).toMatchObject({ at: now() });
  });

  it("of an agent that has ended counts if it was made before the end, and only about itself", async () => {
    const at = now() + SECOND;
    register("web", "s2");
    test.run(10, "silent");
    register("api", "s1", { startedAt: now() - 10 * SECOND, endedAt: now() });
    report("s1", at, { state: "complete", text: "all done" });
    report("s1", at, { state: "error", agent: "web" });
    report("s1", now() + 5 * SECOND, { state: "error", text: "after the end" });
    test.run(10, "silent");
    await reader.read();
    expect(reported("s1")).toMatchObject({ state: "complete", text: "all done" });
    expect(reported("web")).toBeNull();
    expect(log).toEqual([expect.stringContaining("about another agent"), expect.stringContaining("api ended")]);
  });

  it("is not taken for one of a later session with the same name", async () => {
    const at = now();
    test.run(10, "silent");
    register("api", "s1", { endedAt: now() });
    test.run(10, "silent");
    register("api", "s9");
    report(null, at, { state: "error", agent: "api" });
    await reader.read();
    expect(reported("s9")).toBeNull();
    expect(log.join("\n")).toContain("the report is older than api");
  });

  it("is from the agent whose process made it, whatever it says: none is taken for the user's", async () => {
    const parentsOf = (pid: number) => [
      { pid: 77, ppid: pid, sid: 70, start: "boot:9" },
      { pid, ppid: 1, sid: 70, start: "boot:1" },
    ];
    register("evil", "s6", { pid: 60 });
    register("web", "s2", { pid: 50 });
    report(null, now(), { state: "complete", agent: "web" }, parentsOf(60));
    report("s2", now(), { state: "complete" }, parentsOf(60));
    await reader.read();
    expect(reported("web")).toBeNull();
    expect(log).toEqual([expect.stringContaining("runs inside evil and may report only about it")]);
    expect(reported("evil")).toMatchObject({ state: "complete" });
  });

  it("is not from an ended agent whose process number was given again", async () => {
    register("old", "s6", { pid: 60 });
    register("old", "s6", { pid: 60, endedAt: now() });
    test.run(10, "silent");
    report("s1", now(), { state: "complete" }, [{ pid: 77, ppid: 1, sid: 60, start: "boot:9" }]);
    await reader.read();
    expect(reported("api")).toMatchObject({ state: "complete" });
  });

  it("waits for its agent to be registered, and does not hold up others", async () => {
    report("late", now() + 1, { state: "error" });
    report("s1", now() + 2, { state: "complete" });
    test.run(5, "silent");
    await reader.read();
    expect(reported("api")).toMatchObject({ state: "complete" });
    expect(spooled(state)).toHaveLength(1);
    register("late", "late", { startedAt: now() - 10 * SECOND });
    await reader.read();
    expect(reported("late")).toMatchObject({ state: "error" });
    expect(spooled(state)).toEqual([]);
  });

  it("of an agent that never comes is dropped with a line in the log", async () => {
    report("ghost", now(), { state: "error" });
    test.run(61, "silent");
    await reader.read();
    expect(spooled(state)).toEqual([]);
    expect(log.join("\n")).toContain("a stored report was refused");
  });
});

describe("a stored checkpoint", () => {
  it("of an agent that has ended meanwhile is stored, and the judgement gets its own time", async () => {
    const store = await hub.open();
    const task = (await store.add({ title: "Fix it", steps: ["One", "Two"] }, "user")).id;
    await store.claim(task, { agent: "api", session: "s1" });
    const at = now() + SECOND;
    spool(state, { operation: "checkpoint", at, session: "s1", parents: [], input: { step: 1, text: "one" } });
    test.run(30, "silent");
    await reader.read();
    expect(test.loop.find("s1")?.evidence.checkpoint.checkpointAt).toBe(at);
    spool(state, {
      operation: "checkpoint",
      at: at + SECOND,
      session: "s1",
      parents: [],
      input: { step: 2, text: "two" },
    });
    register("api", "s1", { endedAt: now() });
    await reader.read();
    expect((await store.get(task)).completedSteps).toEqual(expect.arrayContaining([1, 2]));
    expect(log).toEqual([]);
  });
});
