/** What the doctor says of the daemon's port: is it open, does anybody use it, do the hooks that post still fit it? */
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
  if (port === 0) return okLine(PORT, "none is wanted (daemon.http_port is 0)");
  const where = `${address}:${port}`;
  if (!listening)
    return warnLine(
      PORT,
      `${where} is not open: ${sanitize(error ?? "unknown", 200)}; no API, no HTTP hooks and no telemetry`,
      "end the program that has it, or choose another one with daemon.http_port and run rouse init --http again",
    );
  const { logs, points, spans, unknown } = telemetry;
  const records = logs + points + spans;
  const strange = Object.values(unknown).reduce((sum, times) => sum + times, 0);
  const says = [
    `${where}, ${hooks} hooks`,
    ...(unmatched > 0 ? [`${unmatched} of them of nobody who is watched`] : []),
    `${records} records of telemetry`,
    ...(telemetry.unmatched > 0 ? [`${telemetry.unmatched} of them of nobody who is watched`] : []),
    ...(strange > 0 ? [`${strange} with names that are not known`] : []),
  ].join(", ");
  const refusals = Object.entries(refused).map(([why, times]) => `${times} for their ${sanitize(why, 40)}`);
  if (refusals.length === 0) return okLine(PORT, says);
  return warnLine(
    PORT,
    `${says}; refused: ${refusals.join(", ")}`,
    "rouse init --http and rouse init --otel give programs the right address, key and format; rouse token create makes a token for the API",
  );
}

/** Null where the program's hooks do not post, or post as the daemon wants it. */
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
      `they post to a daemon that is not running: ${http.whenDown}`,
      `rouse up; or rouse init ${program}, for hooks that need no daemon`,
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
    `those in ${path} post to another port or with another key than the daemon's`,
    `rouse init ${program} --http`,
  );
}
