import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hub } from "../hub/hub.js";
import { openHub } from "../hub/open.js";
import { actOnHub, carryOutActions } from "./act.js";
import { type PipelineAction, parseAction } from "./answer.js";
import { readHubPipeline } from "./hub-pipeline.js";

const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;
let folder: string;
let hub: Hub;
let now: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rouse-act-"));
  now = START;
  hub = await openHub({ state: folder, node: "lab", now: () => now });
  await hub.join({ instance: "i", version: "1" });
});
afterEach(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});

const isAlive = (session: string): boolean => session !== "dead";
const read = () => readHubPipeline(hub, isAlive);
function act(fields: { type: string; [field: string]: unknown }) {
  const action = parseAction(fields) as PipelineAction;
  const access = {
    read,
    act: (one: PipelineAction, seen: Awaited<ReturnType<typeof read>>) => actOnHub(hub, one, seen),
  };
  return carryOutActions([action], access, { now: () => now, done: new Set() });
}

describe("on the hub", () => {
  it("a job with a dead worker is offered again after 30 minutes, and not before", async () => {
    const { id } = await hub.add({ title: "Build", kind: "build", project: "shop" }, "me");
    await hub.claim(id, { agent: "web", session: "dead" });
    now += 29 * MINUTE;
    expect(await act({ type: "retrigger_job", job_id: id })).toMatchObject([{ result: "refused" }]);
    now += MINUTE;
    expect(await act({ type: "retrigger_job", job_id: id })).toMatchObject([{ result: "done" }]);
    expect(await hub.get(id)).toMatchObject({ status: "pending", claim: null });
  });

  it("a job that another worker took between the check and the act is left alone", async () => {
    const { id } = await hub.add({ title: "Build", project: "shop" }, "me");
    const { claim } = await hub.claim(id, { agent: "web", session: "dead" });
    now += 31 * MINUTE;
    const seen = await read();
    await hub.takeOver(claim, { agent: "api", session: "s2" }, "dead");
    const action = parseAction({ type: "retrigger_job", job_id: id }) as PipelineAction;
    await expect(actOnHub(hub, action, seen)).rejects.toThrow("another worker took the job meanwhile");
    expect(await hub.get(id)).toMatchObject({ status: "in_progress", claim: { agent: "api" } });
  });

  it("a stale merge lock is released, and one that changed hands is not", async () => {
    await hub.takeLock({ project: "shop", name: "merge", holder: "web" });
    now += 11 * MINUTE;
    const seen = await read();
    const action = { type: "release_merge_lock", project_id: "shop" };
    expect(await act(action)).toMatchObject([{ result: "done" }]);
    await hub.takeLock({ project: "shop", name: "merge", holder: "web" });
    await expect(actOnHub(hub, parseAction(action) as PipelineAction, seen)).rejects.toThrow("changed hands");
    expect(await act(action)).toMatchObject([{ result: "refused" }]);
    expect(await hub.locks()).toHaveLength(1);
  });

  it("an approved proposal without a build job is rejected, and one with a job is not", async () => {
    const propose = async (): Promise<number> => {
      const { id } = await hub.add({ title: "Search", project: "shop", status: "proposed", score: 0.7 }, "me");
      await hub.transition(id, "approve", { actor: "user", author: "me" });
      return id;
    };
    const [lonely, built] = [await propose(), await propose()];
    const seen = await read();
    await hub.add({ title: "Build it", kind: "build", project: "shop", parent: built }, "me");
    expect(await act({ type: "reject_proposal", proposal_id: lonely })).toMatchObject([{ result: "done" }]);
    expect(await act({ type: "reject_proposal", proposal_id: built })).toMatchObject([{ result: "refused" }]);
    // The job was added after the check.
    const late = parseAction({ type: "reject_proposal", proposal_id: built }) as PipelineAction;
    await expect(actOnHub(hub, late, seen)).rejects.toThrow(
      `task ${built} has changed: it is approved and has the job`,
    );
    expect([(await hub.get(lonely)).status, (await hub.get(built)).status]).toEqual(["rejected", "approved"]);
  });

  it("an idle project gets one scout, and a job that failed by the network runs again", async () => {
    const { id } = await hub.add({ title: "Fetch", project: "shop" }, "me");
    await hub.transition(id, "fail", { actor: "user", author: "me", error: "connect ETIMEDOUT" });
    expect(await act({ type: "trigger_scout", project_id: "shop" })).toMatchObject([{ result: "done" }]);
    expect(await act({ type: "trigger_scout", project_id: "shop" })).toMatchObject([{ result: "refused" }]);
    expect(await act({ type: "reset_job_attempts", job_id: id })).toMatchObject([{ result: "done" }]);
    expect(await hub.get(id)).toMatchObject({ status: "pending", attempts: 0, lastError: null });
  });
});
