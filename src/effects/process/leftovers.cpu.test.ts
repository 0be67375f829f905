import { expect, it, vi } from "vitest";
import { rousePaths } from "../../config/paths.js";
import { type ProcessRow, ProcessTable } from "../../sensors/process/process-table.js";
import { leftoversOf } from "./leftovers.js";

/** The process tables of the two checks. */
const tables = vi.hoisted(() => ({ next: [] as unknown[] }));
vi.mock("../../sensors/process/process-sensor.js", async (original) => ({
  ...(await original<object>()),
  readProcesses: async () => tables.next.shift(),
}));
vi.mock("../../sensors/process/proc.js", async (original) => ({
  ...(await original<object>()),
  isOwn: () => true,
  readEnviron: () => new Map([["ROUSE_SESSION", "s1"]]),
}));

const PID = 4_000_001;
const left = (usedMs: number, start = "a") => {
  const row = { pid: PID, ppid: 1, sid: 1, state: "S", start: "a", cpuMs: 70, comm: "node" } as ProcessRow;
  const later = { ...row, start, cpuMs: 70 + usedMs };
  tables.next = [row, later].map((one) => new ProcessTable(new Map([[PID, one]])));
  return leftoversOf("s1", null, rousePaths({ HOME: "/none" }), { now: () => 0, sleep: async () => {} });
};

it("a process that outlives its session is working if it uses more than 100 ms of CPU time during the check", async () => {
  expect(await left(100)).toEqual({ working: null, idle: `process ${PID} (node)` });
  expect(await left(101)).toEqual({ working: `process ${PID} (node) is still working`, idle: null });
});

it("a process that exited during the check is not left over, even if its pid was used again", async () => {
  expect(await left(500, "b")).toEqual({ working: null, idle: null });
});
