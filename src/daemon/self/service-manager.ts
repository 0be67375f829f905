/**
 * Heartbeats for systemd. Its socket takes datagrams, which Node.js cannot send on a unix socket, so `systemd-notify` sends
 * them: one short process at half the time that systemd allows, 30 s in the unit of `rouse init --service`. It is not the
 * main process of the unit, hence `NotifyAccess=all` there.
 */
import { execFile } from "node:child_process";
import { Pulse } from "./pulse.js";

const LIMIT_MS = 5000;
/** Without a watchdog only the start and the end matter; a heartbeat per hour costs nothing. */
const UNWATCHED_MS = 3600_000;

type Env = Record<string, string | undefined>;

/**
 * Null without a service manager. Removes the variables from the environment: a child of the daemon must not notify in its
 * name.
 */
export function servicePulse(env: Env = process.env, pid: number = process.pid): Pulse | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: judge } = env;
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  if (!socket) return null;
  const isWatched = Number(usec) > 0 && (judge === undefined || Number(judge) === pid);
  const notify = (words: readonly string[], signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = {
        env: { PATH: env.PATH, NOTIFY_SOCKET: socket },
        timeout: LIMIT_MS,
        ...(signal ? { signal } : {}),
      };
      execFile("systemd-notify", words, options, (error, _out, err) => {
        if (error) reject(new Error(`systemd-notify failed: ${err.trim() || error.message}`));
        else resolve();
      });
    });
  return new Pulse({
    to: "systemd",
    everyMs: isWatched ? Number(usec) / 1000 / 2 : UNWATCHED_MS,
    send: (isFirst, abort) => notify(isFirst ? ["READY=1", "WATCHDOG=1"] : ["WATCHDOG=1"], abort),
    sendLast: () => notify(["STOPPING=1"]),
  });
}
