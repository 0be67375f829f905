/**
 * Which clients of a host's socket may press keys without a check of the screen (`attach`, `type --unchecked`): the user's own. An
 * agent never answers a dialog through rouse, neither its own nor another one's.
 */
import type { Socket } from "node:net";
import type { RousePaths } from "../config/paths.js";
import { sanitize } from "../core/text/sanitize.js";
import { enclosingSession } from "../sensors/process/enclosing.js";
import { peerProcesses } from "../sensors/process/peer.js";
import { type HostRecord, listSessions } from "./registry.js";

export interface RefusedKeys {
  /** The watched agent that the client runs in; null if the client's process is unknown. */
  by: string | null;
  reason: string;
}

/** Null if it may. `own`: the agent of this host, whose record may be missing on a full disk. */
export async function checkKeyClient(
  socket: Socket,
  paths: Pick<RousePaths, "hostSocket" | "sessions">,
  own: HostRecord,
): Promise<RefusedKeys | null> {
  const pids = await peerProcesses(socket, paths.hostSocket(own.id));
  // This system does not tell.
  if (pids === null) return null;
  if (pids === "unknown")
    return {
      by: null,
      reason: "rouse cannot tell which process sends these keys; keep the connection open until the response arrives",
    };
  const sessions = [own, ...listSessions(paths).filter(({ isAlive }) => isAlive)];
  for (const pid of pids) {
    const around = enclosingSession(pid, sessions);
    if (around === null) continue;
    const by = sanitize(around.name, 80);
    return { by, reason: `refused inside of the watched agent ${by}; run the command in another terminal` };
  }
  return null;
}
