import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Hub } from "../hub/hub.js";
import { openHub } from "../hub/open.js";
import { TaskChecks } from "./checks.js";

let state: string;
let hub: Hub;
beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), "rouse-checks-"));
  hub = await openHub({ state, node: "lab" });
  await hub.join({ instance: "i", version: "1" });
});
afterEach(async () => {
  await hub.close();
  rmSync(state, { recursive: true, force: true });
});

const node = (script: string): string[] => [process.execPath, "-e", script];
const files = (): string[] => readdirSync(join(state, "checks"));

function startLong(id: number): Promise<unknown> {
  const command = node('require("fs").writeFileSync("started", ""); setInterval(() => {}, 1000)');
  return new TaskChecks(state).run(hub, { task: id, command, folder: state, limitMs: 60_000 });
}

it("ends a check that an earlier daemon left, and its task says that it was interrupted", async () => {
  const { id } = await hub.add({ title: "x" }, "user");
  const running = startLong(id);
  for (let tries = 0; tries < 400 && !existsSync(join(state, "started")); tries++) await sleep(25);
  expect(files()).toEqual([`${id}.json`]);
  await new TaskChecks(state).recover(() => Promise.resolve(hub));
  expect(await running).toMatchObject({ verification: "unverified", text: expect.stringContaining("SIGKILL") });
  expect(files()).toEqual([]);
  expect(await hub.get(id)).toMatchObject({
    status: "pending",
    lastError: expect.stringContaining("interrupted by a restart"),
  });
});

it("runs at most four checks at once, and all of them in the end", async () => {
  const checks = new TaskChecks(state);
  const ids: number[] = [];
  for (let n = 0; n < 6; n++) ids.push((await hub.add({ title: "x" }, "user")).id);
  const script = `const fs = require("fs");
    fs.writeFileSync("on-" + process.pid, "");
    setTimeout(() => {
      const running = fs.readdirSync(".").filter((name) => name.startsWith("on-")).length;
      fs.writeFileSync(["saw", process.pid, running].join("-"), "");
      fs.rmSync("on-" + process.pid);
    }, 400);`;
  const command = node(script);
  const results = await Promise.all(
    ids.map((task) => checks.run(hub, { task, command, folder: state, limitMs: 60_000 })),
  );
  expect(results.every(({ verification }) => verification === "verified")).toBe(true);
  const most = readdirSync(state).flatMap((name) => (name.startsWith("saw-") ? [Number(name.split("-")[2])] : []));
  expect(Math.max(...most)).toBeLessThanOrEqual(4);
});

it("ends a running check before the daemon stops, and its task learns it at the next start", async () => {
  const checks = new TaskChecks(state);
  const { id } = await hub.add({ title: "x" }, "user");
  const command = node('require("fs").writeFileSync("started", String(process.pid)); setInterval(() => {}, 1000)');
  const running = checks.run(hub, { task: id, command, folder: state, limitMs: 60_000 });
  running.catch(() => {});
  const started = join(state, "started");
  for (let tries = 0; tries < 400 && !(existsSync(started) && readFileSync(started, "utf8") !== ""); tries++)
    await sleep(25);
  await checks.close();
  await expect(running).rejects.toThrow("interrupted by a restart");
  expect(() => process.kill(Number(readFileSync(started, "utf8")), 0)).toThrow("ESRCH");
  expect(await hub.get(id)).toMatchObject({ status: "pending", verification: null, lastError: null });
  await new TaskChecks(state).recover(() => Promise.resolve(hub));
  expect(files()).toEqual([]);
  expect(await hub.get(id)).toMatchObject({ lastError: expect.stringContaining("interrupted by a restart") });
});
