/**
 * Asks before a command that this process carries out by itself. The daemon refuses it inside of a watched agent and records
 * it. Without a daemon, the records of hosts show which agents run.
 */
import { ApiError } from "../api/error.js";
import { rousePaths } from "../config/paths.js";
import { sanitize } from "../core/text/sanitize.js";
import { DaemonRefusal, DaemonUnreachable } from "../daemon/client.js";
import { enclosingSession } from "../sensors/process/enclosing.js";
import { listSessions } from "../terminal/registry.js";
import { call, type OperationName } from "./client.js";

export type LocalCommand = Extract<OperationName, `local_${string}`>;

const ANSWER_MS = 5000;

/** Throws `ApiError` if it is refused. */
export async function permit(command: LocalCommand, about: { agent?: string; text?: string } = {}): Promise<void> {
  try {
    await call(command, about, ANSWER_MS);
  } catch (error) {
    // A daemon that is starting, hangs, or is of another version.
    if (!(error instanceof DaemonUnreachable) && !(error instanceof DaemonRefusal)) throw error;
    permitWithoutDaemon();
  }
}

/** Whether an orchestrator may do it only the daemon can tell. */
export function permitWithoutDaemon(): void {
  const alive = listSessions(rousePaths()).filter(({ isAlive }) => isAlive);
  const around = enclosingSession(process.pid, alive) ?? alive.find(({ id }) => id === process.env.ROUSE_SESSION);
  if (around)
    throw new ApiError(
      "identity",
      `refused inside of the watched agent ${sanitize(around.name, 80)}; run the command in another terminal`,
    );
}
