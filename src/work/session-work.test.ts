import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent } from "../../test/support/loops.js";
import type { Signal } from "../core/signal.js";
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
  work = new SessionWork(
    node,
    () => now,
    (line) => lines.push(line),
  );
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
