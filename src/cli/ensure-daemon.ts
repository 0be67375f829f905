/** Starts the daemon if none answers. Apart from `rouse up`: the host of a spawned agent needs no more than this. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rotateLog } from "../config/log-file.js";
import { checkWritable, makePrivateFolder, type RousePaths, rousePaths } from "../config/paths.js";
import { askDaemon } from "../daemon/client.js";
import type { RestoreProgress } from "../daemon/self/starting.js";
import { BadInput } from "../replay/bad-input.js";
import { startByService, UNIT } from "../setup/service.js";

/** A starting daemon may show no progress for this long: it verifies a large journal before its first answer. */
const START_MS = 30_000;
/** If the started process exits, another daemon may be starting at the same time: wait this long for its answer. */
const OTHER_MS = 3000;
const HEALTH_MS = 5000;

/** Makes sure that a daemon answers, and has read its journal. True if it had to be started. */
export async function ensureDaemon(): Promise<boolean> {
  const paths = rousePaths();
  const health = await healthOf(paths.daemonSocket);
  if (health && !health.starting) return false;
  const isService = !health && (await startByService());
  const child = health || isService ? null : startProcess(paths);
  let hasEnded = false;
  child?.once("exit", () => {
    hasEnded = true;
  });
  let folded = -1;
  let deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const { starting } = (await healthOf(paths.daemonSocket)) ?? { starting: null };
    if (starting === undefined) return true;
    if (starting && starting.folded > folded) {
      folded = starting.folded;
      deadline = Date.now() + START_MS;
    } else if (hasEnded) deadline = Math.min(deadline, Date.now() + OTHER_MS);
    hasEnded = false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const log = isService ? `"journalctl --user -u ${UNIT}"` : paths.daemonLog;
  const full = checkWritable(paths);
  throw new BadInput(
    full === null
      ? `the daemon did not start; see ${log}`
      : `the daemon did not start: cannot write to ${paths.state}: ${full}`,
  );
}

function startProcess(paths: RousePaths): ChildProcess {
  makePrivateFolder(paths.state);
  rotateLog(paths.daemonLog);
  const log = openSync(paths.daemonLog, "a", 0o600);
  const bin = fileURLToPath(new URL("../../bin/rouse", import.meta.url));
  const child = spawn(process.execPath, [bin, "up", "--foreground"], {
    detached: true,
    stdio: ["ignore", log, log],
    env: ownEnvironment(process.env),
    cwd: "/",
  });
  closeSync(log);
  child.unref();
  return child;
}

/** A daemon that is started inside of an agent is no part of it. */
const ownEnvironment = ({ ROUSE_SESSION: _s, ROUSE_TASK: _t, ROUSE_PROMPT_FILE: _p, ...env }: NodeJS.ProcessEnv) => env;

/** Null if no daemon answers soon: starting an agent does not wait long for a daemon that hangs. */
const healthOf = (socket: string): Promise<{ starting?: RestoreProgress } | null> =>
  askDaemon(socket, "GET", "/v1/health", undefined, {}, HEALTH_MS).then(
    (health) => health as { starting?: RestoreProgress },
    () => null,
  );
