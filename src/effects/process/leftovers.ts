/**
 * What is left of a session after its processes are gone: something that detached itself and works on, as Codex's
 * background daemon does. It may serve other sessions too, so it is only ever told of, never ended.
 */

import type { RousePaths } from "../../config/paths.js";
import { isOwn, readEnviron } from "../../sensors/process/proc.js";
import { readProcesses } from "../../sensors/process/process-sensor.js";
import type { ProcessRow, ProcessTable } from "../../sensors/process/process-table.js";
import { listSessions } from "../../terminal/registry.js";
import type { EffectClock } from "../keys/terminal-session.js";
import { sizeOf } from "./checkpoint.js";

/** Every process that an agent of rouse's own starts inherits this. */
const MARK = "ROUSE_SESSION";
const WATCH_MS = 1500;
/** Less is what a process spends on being there. */
const IDLE_CPU_MS = 100;

export interface Leftovers {
  /** What works on, in words; null when nothing does. */
  working: string | null;
  /** What is there and does nothing. */
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
    ...busy.map((row) => `process ${row.pid} (${row.comm}) works on`),
    ...(bytes !== null && grown !== null && grown > bytes ? ["its transcript still grows"] : []),
  ];
  return {
    working: words.length > 0 ? words.join(", ") : null,
    idle: idle.length > 0 ? idle.map((row) => `process ${row.pid} (${row.comm})`).join(", ") : null,
  };
}

/** rouse's own processes carry the mark of whoever started them, and so do the agents that these hold. */
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
