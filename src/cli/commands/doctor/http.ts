/** Checks the daemon's port: is it open, what uses it, and do the hooks that post match it? */
import { loadConfig } from "../../../config/load.js";
import { rousePaths } from "../../../config/paths.js";
import { sanitize } from "../../../core/text/sanitize.js";
import { readKey } from "../../../daemon/http/key.js";
import type { HttpView } from "../../../daemon/http/server.js";
import { partOf } from "../../../programs/part.js";
import { type HookPlan, hooksOf, planHooks } from "../../../setup/hooks-install.js";
import { type DoctorLine, okLine, warnLine } from "./line.js";

export const PORT = "port";

export function portLine({
  port,
  address,
  listening,
  error,
  hooks,
  unmatched,
  refused,
  telemetry,
}: HttpView): DoctorLine {
  if (port === 0) return okLine(PORT, "off (daemon.http_port is 0)");
  const where = `${address}:${port}`;
  if (!listening)
    return warnLine(
      PORT,
      `${where} is not open: ${sanitize(error ?? "unknown", 200)}; no API, no HTTP hooks and no telemetry`,
      "stop the program that uses it, or set another daemon.http_port and run `rouse init --http` again",
    );
  const { logs, points, spans, unknown } = telemetry;
  const records = logs + points + spans;
  const strange = Object.values(unknown).reduce((sum, times) => sum + times, 0);
  const message = [
    `${where}, ${hooks} hooks`,
    ...(unmatched > 0 ? [`${unmatched} of them from unknown agents`] : []),
    `${records} telemetry records`,
    ...(telemetry.unmatched > 0 ? [`${telemetry.unmatched} of them from unknown agents`] : []),
    ...(strange > 0 ? [`${strange} with unknown names`] : []),
  ].join(", ");
  const refusals = Object.entries(refused).map(([why, times]) => `${times} (${sanitize(why, 40)})`);
  if (refusals.length === 0) return okLine(PORT, message);
  return warnLine(
    PORT,
    `${message}; refused: ${refusals.join(", ")}`,
    "set up programs again with `rouse init --http` or `rouse init --otel`; API clients need `rouse token create`",
  );
}

/** Null if the program's hooks do not post, or match the daemon's port and key. */
export function httpHookLine(
  { program, before, path }: HookPlan,
  env: NodeJS.ProcessEnv,
  isUp: boolean,
): DoctorLine | null {
  const http = partOf(hooksOf(program).http);
  if (!http || !before.includes(`/v1/hooks/${program}`)) return null;
  if (!isUp)
    return warnLine(
      `hooks of ${program}`,
      `they post to the daemon, which is not running: ${http.whenDown}`,
      `run \`rouse up\`, or \`rouse init ${program}\` for hooks that need no daemon`,
    );
  const port = loadConfig({ env }).config.daemon.http_port;
  const key = readKey(rousePaths(env).hookKey) ?? "";
  const fresh = planHooks(program, { command: ["rouse"], http: { port, key }, env });
  const posts = (text: string): string =>
    text
      .split("\n")
      .filter((line) => line.includes("/v1/hooks/") || line.includes("Bearer "))
      .map((line) => line.trim())
      .join();
  if (posts(fresh.before) === posts(fresh.after)) return null;
  return warnLine(
    `hooks of ${program}`,
    `the hooks in ${path} post to another port or with another key`,
    `run \`rouse init ${program} --http\``,
  );
}
