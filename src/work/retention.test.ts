import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { START } from "../../test/support/steps.js";
import { DAY, MINUTE } from "../core/text/time.js";
import { NodeHub } from "./node-hub.js";
import { KEPT_MS, Retention } from "./retention.js";

let state: string;
let hub: NodeHub;
let now: number;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "rouse-retention-"));
  now = START;
  hub = new NodeHub({ state, node: "lab", instance: "i", version: "1", now: () => now });
});
afterEach(async () => {
  await hub.close();
  rmSync(state, { recursive: true, force: true });
});

it("removes tasks that were closed months ago, and keeps open and recent ones", async () => {
  const retention = new Retention(hub, () => now);
  const store = await hub.open();
  const add = async (): Promise<number> => (await store.add({ title: "x" }, "user")).id;
  const [old, open] = [await add(), await add()];
  await store.transition(old, "done", { actor: "user", author: "user" });
  now += KEPT_MS - DAY;
  const recent = await add();
  await store.transition(recent, "done", { actor: "user", author: "user" });
  const all = async (): Promise<number[]> => (await store.list({ after: 0 })).map(({ id }) => id);
  await retention.tick();
  expect(await all()).toEqual([old, open, recent]);
  now += DAY + MINUTE;
  await retention.tick();
  expect(await all()).toEqual([open, recent]);
});

it("asks an unreachable hub again", async () => {
  const retention = new Retention(hub, () => now);
  const store = await hub.open();
  const prune = store.prune.bind(store);
  let calls = 0;
  store.prune = (options) => (++calls === 1 ? Promise.reject(new Error("away")) : prune(options));
  for (let minutes = 0; minutes < 60; minutes++) {
    now += MINUTE;
    await retention.tick();
  }
  expect(calls).toBe(2);
});
