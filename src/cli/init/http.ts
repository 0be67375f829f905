/** What `rouse init` knows of the daemon's port: where hooks post to, and what makes a program export its telemetry. */
import { makePrivateFolder, rousePaths } from "../../config/paths.js";
import { makeKey, readKey } from "../../daemon/http/key.js";
import { BadInput } from "../../replay/files.js";
import type { HookPlan } from "../../sensors/hooks/hooks-install.js";
import { settings } from "../settings.js";

export interface Target {
  port: number;
  key: string;
}

const NOT_MADE = "(made when it is needed)";

/** The port and its key. A dry run makes none. */
export function httpTarget(dryRun: boolean): Target {
  const { hookKey, state } = rousePaths();
  const port = settings().daemon.http_port;
  if (port === 0) throw new BadInput("daemon.http_port is 0, so the daemon opens no port; set it first, 17687 say");
  if (dryRun) return { port, key: readKey(hookKey) ?? NOT_MADE };
  makePrivateFolder(state);
  return { port, key: makeKey(hookKey) };
}

/** Said of settings into which hooks are put that should post. */
export function httpNotes({ program, before: settings }: HookPlan, { port }: Target): string {
  if (program !== "claude-code") return `${program}: it has no HTTP hooks, so each of its hooks runs rouse hook\n`;
  const lines = [
    "claude-code: its hooks post to the daemon: keep it up, for Claude Code shows an error for each hook that nobody takes",
    "claude-code: the settings hold rouse's key, which lets a program tell and nothing else: keep them out of public places",
  ];
  if (settings.includes('"allowedHttpHookUrls"'))
    lines.push(`claude-code: its allowedHttpHookUrls must name http://127.0.0.1:${port}/*`);
  return lines.map((line) => `${line}\n`).join("");
}

/** What a user sets so that Claude Code and Codex export to the daemon. Nothing is written: these are their settings. */
export function otelText({ port, key }: Target): string {
  const url = `http://127.0.0.1:${port}`;
  const exporter = (path: string): string =>
    `{ otlp-http = { endpoint = "${url}/v1/${path}", protocol = "json", headers = { Authorization = "Bearer ${key}" } } }`;
  return `# Claude Code: in the shell that starts it
export CLAUDE_CODE_ENABLE_TELEMETRY=1
export OTEL_LOGS_EXPORTER=otlp OTEL_METRICS_EXPORTER=otlp
export OTEL_EXPORTER_OTLP_PROTOCOL=http/json
export OTEL_EXPORTER_OTLP_ENDPOINT=${url}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer $(cat ${quoted(rousePaths().hookKey)})"

# Codex: in ~/.codex/config.toml
[otel]
exporter = ${exporter("logs")}
metrics_exporter = ${exporter("metrics")}
`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
