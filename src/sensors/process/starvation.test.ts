import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { identityOf, ProcessSensor } from "./process-sensor.js";
import { ProcessTable } from "./process-table.js";
import { countWaits, noCounts, starvation, type WaitFiles } from "./starvation.js";

const SECOND = 1000;

/** Files in which these processes have waited this many milliseconds, and the machine that many. */
const files = (waited: Record<number, number>, pressed: number | null = null): WaitFiles => ({
  schedstat: (pid) => (waited[pid] === undefined ? null : `123456 ${waited[pid] * 1e6} 7\n`),
  pressure: () =>
    pressed === null
      ? null
      : `some avg10=1.00 avg60=8.20 avg300=8.09 total=${pressed * 1000}\nfull avg10=0.00 total=0\n`,
});

const between = (before: WaitFiles, after: WaitFiles, pids = [1, 2], spanMs = 10 * SECOND) =>
  starvation(countWaits(pids, 0, before), countWaits(pids, spanMs, after));

describe("starvation", () => {
  it("is the wait of the process that waited most", () => {
    expect(between(files({ 1: 500, 2: 0 }), files({ 1: 600, 2: 6000 }))).toEqual({
      kind: "gap",
      at: 10_000,
      source: "process",
      from: 0,
      to: 10_000,
      lostMs: 6000,
    });
  });

  it("is none for a program that waits a little at every wake-up", () => {
    expect(between(files({ 1: 0, 2: 0 }), files({ 1: 4000, 2: 4900 }))).toBeNull();
  });

  it("never stops the clocks: at most three quarters of the time are lost", () => {
    expect(between(files({ 1: 0 }), files({ 1: 10_000 }))?.lostMs).toBe(7500);
  });

  it("counts the wait of a process that has just started", () => {
    expect(between(files({ 1: 0 }), files({ 1: 0, 2: 7000 }))?.lostMs).toBe(7000);
    expect(starvation(noCounts(0), countWaits([1], 10_000, files({ 1: 8000 })))?.lostMs).toBe(7500);
  });

  it("does not spread an old wait over a span that was not observed", () => {
    expect(between(files({ 1: 0 }), files({ 1: 90_000 }), [1], 120_000)).toBeNull();
    expect(starvation(noCounts(0), countWaits([1], 3_600_000, files({ 1: 3_000_000 })))).toBeNull();
  });

  it("follows the pressure of the machine only if the process itself cannot be read", () => {
    expect(between(files({}, 0), files({}, 9500))?.lostMs).toBe(4750);
    expect(between(files({}, 0), files({}, 8000))).toBeNull();
    expect(between(files({ 1: 0 }, 0), files({ 1: 100 }, 9500))).toBeNull();
  });

  it.each([[""], ["no numbers"], ["-1 -2 3"], ["1"]])("ignores a damaged file: %j", (text) => {
    const damaged: WaitFiles = { schedstat: () => text, pressure: () => text };
    expect(between(damaged, damaged)).toBeNull();
  });

  it("is found for the tree of an agent from one check to the next", async () => {
    const row = (pid: number, ppid: number) => ({
      pid,
      ppid,
      sid: 1,
      tty: null,
      state: "R",
      start: `s${pid}`,
      startedAt: -3_600_000,
      cpuMs: 0,
      comm: "agent",
    });
    let waited: Record<number, number> = { 10: 0, 11: 0 };
    const table = new ProcessTable(new Map([row(10, 1), row(11, 10)].map((one) => [one.pid, one])));
    const sensor = new ProcessSensor({
      readTable: () => Promise.resolve(table),
      socketsEveryMs: 0,
      waitFiles: { schedstat: (pid) => files(waited).schedstat(pid), pressure: () => null },
    });
    const target = { pid: 10, start: "s10" };
    expect(sensor.starvation(target, 0)).toBeNull();
    await sensor.refresh(0);
    expect(sensor.starvation(target, 0)).toBeNull();
    waited = { 10: 0, 11: 6000 };
    expect(sensor.starvation(target, 10_000)?.lostMs).toBe(6000);
    expect(sensor.starvation(target, 20_000)).toBeNull();
  });

  it.skipIf(process.platform !== "linux")("of a real process beside many busy ones is found", async () => {
    const busy = Array.from({ length: availableParallelism() * 5 }, () =>
      spawn("sh", ["-c", "while :; do :; done"], { stdio: "ignore" }),
    );
    try {
      await setTimeout(200);
      const pid = busy[0]?.pid ?? 0;
      const sensor = new ProcessSensor({ socketsEveryMs: 0 });
      const target = { pid, start: identityOf(pid) };
      await sensor.refresh(Date.now());
      sensor.starvation(target, Date.now());
      await setTimeout(1500);
      await sensor.refresh(Date.now());
      const found = sensor.starvation(target, Date.now());
      expect(found?.lostMs).toBeGreaterThan(700);
    } finally {
      for (const one of busy) one.kill("SIGKILL");
    }
  });
});
