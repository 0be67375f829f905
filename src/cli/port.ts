/** A warning for commands that are useful only while the daemon's port is open. */
import { sanitize } from "../core/text/sanitize.js";
import { call } from "./client.js";

const TIMEOUT_MS = 2000;

/** Null if the port is open or switched off by the configuration, or the daemon does not answer. */
async function closedPort(): Promise<string | null> {
  const answer = await call("daemon", {}, TIMEOUT_MS).catch(() => null);
  if (answer === null || answer.http.listening || answer.http.port === 0) return null;
  const { address, port, error } = answer.http;
  return `port ${address}:${port} is not open: ${sanitize(error ?? "unknown reason", 200)}; there is no HTTP API until it is`;
}

export async function warnOfClosedPort(): Promise<void> {
  const closed = await closedPort();
  if (closed !== null) process.stderr.write(`rouse: warning: ${closed}\n`);
}
