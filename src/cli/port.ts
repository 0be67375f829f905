/** A warning for commands that are useful only while the daemon's port is open. */
import { setTimeout as sleep } from "node:timers/promises";
import { sanitize } from "../core/text/sanitize.js";
import type { HttpView } from "../daemon/http/server.js";
import { call } from "./client.js";

const TIMEOUT_MS = 2000;
const AGAIN_MS = 50;

export type PortView = Pick<HttpView, "address" | "port" | "listening" | "error">;

/**
 * Null if the port is open or switched off by the configuration, or the daemon does not answer. A daemon that has just
 * started has neither opened its port nor failed to: it is asked again until it has tried.
 */
export async function closedPort(
  ask: () => Promise<PortView | null>,
  wait: () => Promise<unknown> = () => sleep(AGAIN_MS),
): Promise<string | null> {
  for (let asked = 0; asked <= TIMEOUT_MS / AGAIN_MS; asked++) {
    const found = await ask();
    if (found === null || found.listening || found.port === 0) return null;
    const { address, port, error } = found;
    if (error !== null)
      return `port ${address}:${port} is not open: ${sanitize(error, 200)}; there is no HTTP API until it is`;
    await wait();
  }
  return "the daemon is still starting and has not opened its HTTP port yet";
}

export async function warnOfClosedPort(): Promise<void> {
  const closed = await closedPort(async () => (await call("daemon", {}, TIMEOUT_MS).catch(() => null))?.http ?? null);
  if (closed !== null) process.stderr.write(`rouse: warning: ${closed}\n`);
}
