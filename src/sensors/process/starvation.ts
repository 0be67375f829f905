/**
 * Time that an agent's processes were ready to run and got no CPU. Linux counts it per process, in `schedstat`; where
 * that is not readable, the pressure of the whole machine is the only clue.
 */
import { readFileSync } from "node:fs";
import type { GapSignal } from "../../core/signal.js";

/** The two files that count waiting; null if one is missing or not readable. */
export interface WaitFiles {
  /** `/proc/PID/schedstat`: nanoseconds on a CPU, nanoseconds waiting for one, number of time slices. */
  schedstat: (pid: number) => string | null;
  /** `/proc/pressure/cpu`, with the microseconds in which any process waited. */
  pressure: () => string | null;
}

/** What is known from the last check of one agent. */
export interface WaitCounts {
  at: number;
  /** Milliseconds that each process has waited so far. */
  waited: Map<number, number>;
  /** Milliseconds in which any process of the machine waited. */
  pressure: number | null;
}

/** Of two checks this far apart at most, the older one is a baseline. */
const BASELINE_MS = 60_000;
/** An idle program that wakes up for its spinner waits a little each time. Only one that mostly waits is starved. */
const STARVED_SHARE = 0.5;
/** Pressure counts if it was almost constant, and then half: some process waited, not necessarily this one. */
const PRESSED_SHARE = 0.9;
const PRESSURE_WEIGHT = 0.5;
/** Clocks run at a quarter of their speed at least: a hang is found on a machine that is always overloaded, too. */
const LOST_SHARE_MAX = 0.75;
const PROCESSES_MAX = 64;

const read = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};

export const PROC_WAIT_FILES: WaitFiles = {
  schedstat: (pid) => read(`/proc/${pid}/schedstat`),
  pressure: () => read("/proc/pressure/cpu"),
};

/** Before the first check of a process that started at this time. */
export const noCounts = (startedAt: number): WaitCounts => ({ at: startedAt, waited: new Map(), pressure: null });

export function countWaits(pids: readonly number[], at: number, files: WaitFiles): WaitCounts {
  const waited = new Map<number, number>();
  for (const pid of pids.slice(0, PROCESSES_MAX)) {
    const ms = waitedOf(files.schedstat(pid));
    if (ms !== null) waited.set(pid, ms);
  }
  return { at, waited, pressure: waited.size > 0 ? null : pressureOf(files.pressure()) };
}

/** The time lost between two checks; null if the agent was not starved. */
export function starvation(before: WaitCounts, now: WaitCounts): GapSignal | null {
  const spanMs = now.at - before.at;
  if (!(spanMs > 0) || spanMs > BASELINE_MS) return null;
  // The one that waited most: while it waits, the others may wait for it.
  const waits = [...now.waited].map(([pid, ms]) => ms - (before.waited.get(pid) ?? 0));
  const own = Math.max(0, ...waits) / spanMs;
  const pressed = now.pressure === null || before.pressure === null ? 0 : (now.pressure - before.pressure) / spanMs;
  const share = own >= STARVED_SHARE ? own : pressed >= PRESSED_SHARE ? pressed * PRESSURE_WEIGHT : 0;
  if (share === 0) return null;
  const lostMs = Math.round(Math.min(share, LOST_SHARE_MAX) * spanMs);
  return { kind: "gap", at: now.at, source: "process", from: before.at, to: now.at, lostMs };
}

function waitedOf(text: string | null): number | null {
  const nanoseconds = /^\d{1,20} (\d{1,20}) \d/.exec(text ?? "")?.[1];
  return nanoseconds === undefined ? null : Number(nanoseconds) / 1e6;
}

function pressureOf(text: string | null): number | null {
  const microseconds = /^some .{0,80}total=(\d{1,20})/.exec(text ?? "")?.[1];
  return microseconds === undefined ? null : Number(microseconds) / 1000;
}
