import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeHostScript } from "../../../test/support/fake-host.js";
import { sessionOf } from "../../../test/support/sessions.js";
import { type RousePaths, rousePaths } from "../../config/paths.js";
import type { AgentSession } from "../../core/agent.js";
import { writeRecord } from "../../terminal/registry.js";
import type { EffectContext } from "../context.js";
import { Environments } from "./environments.js";
import { spawnAgain } from "./spawn-again.js";

const agent = { id: "s1", name: "a", kind: "claude-code", workspace: "/w" } as AgentSession;
const starting = { environments: { of: () => ({ env: {}, isOwn: true }) }, hostScript: "/none" };

it("does not start an agent where none can be started", async () => {
  const result = await spawnAgain(agent, ["claude"], {} as EffectContext);
  expect(result).toEqual({ started: false, acted: false, reason: "agents cannot be started here" });
});

it("does not start an agent again whose working directory is unknown", async () => {
  const result = await spawnAgain({ ...agent, workspace: null }, ["claude"], { starting } as unknown as EffectContext);
  expect(result).toEqual({ started: false, acted: false, reason: "its working directory is unknown" });
});

it("does not start an agent under other directories than those of this daemon", async () => {
  const context = { starting, paths: { sessions: "/elsewhere/sessions" } } as unknown as EffectContext;
  const result = await spawnAgain(agent, ["claude"], context);
  expect(result).toEqual({
    started: false,
    acted: false,
    reason: "its environment points to other rouse directories",
  });
});

describe("an agent that is started again", () => {
  let folder: string;
  let paths: RousePaths;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rouse-spawn-"));
    paths = rousePaths({ HOME: folder });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const recordOf = (id: string, cols: number, rows: number): void =>
    writeRecord(paths, { ...sessionOf({ id }), hostPid: process.pid, hostStart: "ended", cols, rows, exit: null });

  /** With a host that gives this answer: the result, and the order that the host got. */
  async function startedBy(answer: object) {
    const { hostScript, order } = writeHostScript(folder, answer);
    const environments = new Environments(paths, { HOME: folder });
    const context = { starting: { environments, hostScript }, paths } as unknown as EffectContext;
    const result = await spawnAgain({ ...agent, workspace: folder }, ["claude"], context);
    return { result, order: order() };
  }

  it("keeps its name and the size of its terminal, or gets 120 by 40 if that is unknown", async () => {
    recordOf("s2", 80, 24);
    const { result, order } = await startedBy({ session: "s2" });
    expect(result).toMatchObject({ started: true, agent: { id: "s2" }, note: ", with the daemon's environment" });
    expect(order).toMatchObject({ spec: { wanted: "a", command: ["claude"], origin: "spawn" }, cols: 120, rows: 40 });
    recordOf("s1", 100, 30);
    expect((await startedBy({ session: "s2" })).order).toMatchObject({ cols: 100, rows: 30 });
  });

  it("has failed if the host reports no session, or one without a record", async () => {
    const failed = (reason: string) => ({ started: false, acted: true, reason });
    expect((await startedBy({ error: "no such command" })).result).toEqual(failed("no such command"));
    expect((await startedBy({})).result).toEqual(failed("it did not start (no reason given)"));
    expect((await startedBy({ session: "s9" })).result).toEqual(failed("it was started but cannot be found"));
  });
});
