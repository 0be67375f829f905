/** The daemon's port in `rouse init`: the target of HTTP hooks, and the settings that export telemetry. */
import { makePrivateFolder, rousePaths } from "../config/paths.js";
import { makeKey, readKey } from "../daemon/http/key.js";
import { partOf } from "../programs/part.js";
import { PROGRAMS } from "../programs/registry.js";
import { BadInput } from "../replay/files.js";
import { type HookPlan, hooksOf } from "../setup/hooks-install.js";
import { loadSettings } from "./settings.js";

export interface HttpTarget {
  port: number;
  key: string;
}

const NOT_MADE = "(created when needed)";

/** The port and its key. A dry run creates no key. */
export function httpTarget(dryRun: boolean): HttpTarget {
  const { hookKey, state } = rousePaths();
  const port = loadSettings().daemon.http_port;
  if (port === 0)
    throw new BadInput("daemon.http_port is 0, so the daemon opens no port; set it first, for example to 17687");
  if (dryRun) return { port, key: readKey(hookKey) ?? NOT_MADE };
  makePrivateFolder(state);
  return { port, key: makeKey(hookKey) };
}

export function httpNotes({ program, before: settings }: HookPlan, { port }: HttpTarget): string {
  const http = partOf(hooksOf(program).http);
  const lines = http?.notes(settings, port) ?? ["no HTTP hooks: each hook runs `rouse hook`"];
  return lines.map((line) => `${program}: ${line}\n`).join("");
}

/** The settings that export telemetry to the daemon. Printed, not written: they belong to the user. */
export function otelText({ port, key }: HttpTarget): string {
  const target = { url: `http://127.0.0.1:${port}`, key, keyFile: quoted(rousePaths().hookKey) };
  return PROGRAMS.flatMap(({ telemetry }) => partOf(telemetry)?.settings(target) ?? []).join("\n");
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
