/** Ends what the demo started, and nothing else. */
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

/** Everything that this process started. */
export const endBelow = (pid: number): Promise<void> =>
  // `ps`, where it is asked, lists itself.
  endAll(() => (row) => row.ppid === pid && row.comm !== "ps");

/** Whoever has this home, when nobody is there any more who started it: by its environment, and by the hosts' records. */
export const endAtHome = (home: string, paths: RousePaths): Promise<void> =>
  endAll(() => {
    const hosts = new Set(listSessions(paths).flatMap(({ isAlive, hostPid }) => (isAlive ? [hostPid] : [])));
    return ({ pid }) => hosts.has(pid) || readEnviron(pid)?.get("ROUSE_HOME") === home;
  });

/** Also what starts meanwhile: until two looks find nothing. */
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
