/**
 * Ends a program with everything that it started, and proves it.
 *
 * A program started by rouse leads a session of its own (its terminal's), so its group may be signalled; of any other
 * program, only its descendants. They get SIGTERM first and, after the grace period, SIGKILL. Children in a session of
 * their own, such as Claude Code's shells, are found by descent before the first signal and identified by pid and start
 * time; fully detached processes are left alone. Identity is checked right before each signal, so that a process with a
 * reused pid is never signalled.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { identityOf, readProcesses } from "../sensors/process/process-sensor.js";
import { isDead, KEEPER, type ProcessRow, type ProcessTable } from "../sensors/process/process-table.js";

export interface StopTarget {
  pid: number;
  /** `identityOf(pid)` when it was started. */
  start: string;
  /** rouse created its process group. */
  ownsGroup: boolean;
}

export interface StopResult {
  /** No process of the session or started by it is left. */
  isGone: boolean;
  /** SIGKILL was needed. */
  isKilled: boolean;
  /** How many processes were ended, the program included. */
  processes: number;
  /** Processes that survived SIGKILL. */
  left: number[];
}

const CHECK_MS = 50;
const KILL_MS = 5000;

export async function stopTree(target: StopTarget, graceMs: number): Promise<StopResult> {
  const known = new Map<string, ProcessRow>();
  const asked = new Set<string>();
  const deadline = performance.now() + graceMs;
  let members = await membersOf(target, known);
  for (; members.length > 0 && performance.now() < deadline; members = await membersOf(target, known)) {
    // One SIGTERM each: many programs skip their cleanup on a second one.
    for (const row of members) if (!asked.has(key(row))) ask(row);
    for (const row of members) asked.add(key(row));
    await sleep(CHECK_MS);
  }
  const isKilled = members.length > 0;
  const end = performance.now() + KILL_MS;
  for (; members.length > 0 && performance.now() < end; members = await membersOf(target, known)) {
    kill(target, members);
    await sleep(CHECK_MS);
  }
  return {
    isGone: members.length === 0,
    isKilled,
    processes: [...known.values()].filter((row) => row.comm !== KEEPER).length,
    left: members.map((row) => row.pid),
  };
}

/** The running processes of the session, of the program's descendants, and of those known before. */
async function membersOf(target: StopTarget, known: Map<string, ProcessRow>): Promise<ProcessRow[]> {
  const table = await readProcesses();
  // Without a process list, only the program itself can be checked.
  if (table === null) return identityOf(target.pid) === target.start ? [alone(target)] : [];
  for (const row of ofTree(target, table)) known.set(key(row), row);
  return [...known.values()].filter((row) => {
    const now = table.rows.get(row.pid);
    return now !== undefined && now.start === row.start && !isDead(now);
  });
}

function ofTree(target: StopTarget, table: ProcessTable): ProcessRow[] {
  const root = table.rows.get(target.pid);
  // The pid was reused: the session is over, and the new process is not ours.
  if (root && root.start !== target.start) return [];
  const below = table.descendants(target.pid);
  return root && !isDead(root) ? [root, ...below] : below;
}

function ask(row: ProcessRow): void {
  if (identityOf(row.pid) !== row.start) return;
  send(row.pid, "SIGTERM");
  // A stopped process handles no signal until it continues.
  send(row.pid, "SIGCONT");
}

function kill(target: StopTarget, members: readonly ProcessRow[]): void {
  // The whole group at once, so that no member can start another process between two signals.
  if (target.ownsGroup && identityOf(target.pid) === target.start) send(-target.pid, "SIGKILL");
  for (const row of members) if (identityOf(row.pid) === row.start) send(row.pid, "SIGKILL");
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or may not be signalled: the next check shows which.
  }
}

const key = (row: ProcessRow): string => `${row.pid} ${row.start}`;

const alone = ({ pid, start }: StopTarget): ProcessRow => ({
  pid,
  ppid: 0,
  sid: pid,
  tty: null,
  state: "S",
  start,
  startedAt: 0,
  cpuMs: 0,
  comm: "",
});
