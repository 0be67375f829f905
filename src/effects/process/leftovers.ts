/**
 * Processes of a session that detached themselves and outlive it, such as Codex's background daemon. They may serve other
 * sessions too, so they are only reported, never ended.
 */

import type { RousePaths } from "../../config/paths.js";
import { isOwn, readEnviron } from "../../sensors/process/proc.js";
import { readProcesses } from "../../sensors/process/process-sensor.js";
import type { ProcessRow, ProcessTable } from "../../sensors/process/process-table.js";
import { listSessions } from "../../terminal/registry.js";
import type { EffectClock } from "../keys/terminal-session.js";
import { sizeOf } from "./checkpoint.js";

/** Every process that a rouse agent starts inherits this variable. */
const MARK = "ROUSE_SESSION";
const WATCH_MS = 1500;
/** Below this, a process counts as idle. */
const IDLE_CPU_MS = 100;

export interface Leftovers {
  /** Processes that keep working, as text; null for none. */
  working: string | null;
  /** Processes that are idle, as text; null for none. */
  idle: string | null;
}

export async function leftoversOf(
  session: string,
  transcript: string | null,
  paths: RousePaths,
  clock: EffectClock,
): Promise<Leftovers> {
  const bytes = sizeOf(transcript)?.bytes ?? null;
  const before = await readProcesses();
  const first = before ? markedBy(before, session, paths) : [];
  await clock.sleep(WATCH_MS);
  const table = await readProcesses();
  const grown = sizeOf(transcript)?.bytes ?? null;
  const busy = first.filter((row) => table && isBusy(row, table));
  const idle = first.filter((row) => !busy.includes(row) && table?.rows.get(row.pid)?.start === row.start);
  const words = [
    ...busy.map((row) => `process ${row.pid} (${row.comm}) is still working`),
    ...(bytes !== null && grown !== null && grown > bytes ? ["its transcript is still growing"] : []),
  ];
  return {
    working: words.length > 0 ? words.join(", ") : null,
    idle: idle.length > 0 ? idle.map((row) => `process ${row.pid} (${row.comm})`).join(", ") : null,
  };
}

/** rouse's own processes inherit the mark of the agent that started them, and so do the agents in their terminals. */
function markedBy(table: ProcessTable, session: string, paths: RousePaths): ProcessRow[] {
  const hosts = listSessions(paths).flatMap((found) => (found.isAlive ? [found.hostPid] : []));
  const ours = new Set([process.pid, ...hosts]);
  return [...table.rows.values()].filter(
    ({ pid }) =>
      !ours.has(pid) &&
      !table.ancestors(pid).some((row) => ours.has(row.pid)) &&
      isOwn(pid) &&
      readEnviron(pid)?.get(MARK) === session,
  );
}

function isBusy(row: ProcessRow, table: ProcessTable): boolean {
  const now = table.rows.get(row.pid);
  if (!now || now.start !== row.start) return false;
  return now.cpuMs - row.cpuMs > IDLE_CPU_MS || table.descendants(row.pid).length > 0;
}
