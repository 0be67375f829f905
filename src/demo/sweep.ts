/** Ends the processes of the demo, and no others. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RousePaths } from "../config/paths.js";
import { readEnviron } from "../sensors/process/proc.js";
import { readProcesses } from "../sensors/process/process-sensor.js";
import { isDead, type ProcessRow } from "../sensors/process/process-table.js";
import { listSessions } from "../terminal/registry.js";
import { stopTree } from "../terminal/stop-tree.js";

const GRACE_MS = 5000;
const CHECK_MS = 500;

type Choice = (row: ProcessRow) => boolean;

/** All children of this process. */
export const endBelow = (pid: number): Promise<void> =>
  // `ps` lists itself.
  endAll(() => (row) => row.ppid === pid && row.comm !== "ps");

/** Processes with this home whose parent is gone: found by their environment and by the session files. */
export const endAtHome = (home: string, paths: RousePaths): Promise<void> =>
  endAll(() => {
    const hosts = new Set(listSessions(paths).flatMap(({ isAlive, hostPid }) => (isAlive ? [hostPid] : [])));
    return ({ pid }) => hosts.has(pid) || readEnviron(pid)?.get("ROUSE_HOME") === home;
  });

/** Repeats until two checks find nothing: processes may start meanwhile. */
async function endAll(choose: () => Choice): Promise<void> {
  for (let clean = 0; clean < 2; clean++) {
    if (clean > 0) await sleep(CHECK_MS);
    const table = await readProcesses();
    const isOurs = choose();
    const found = [...(table?.rows.values() ?? [])].filter((row) => isOurs(row) && !isDead(row));
    if (found.length === 0) continue;
    clean = -1;
    await Promise.all(found.map(({ pid, start }) => stopTree({ pid, start, ownsGroup: false }, GRACE_MS)));
  }
}
