import type { ProcessRule } from "../program.js";

/** A process that the program's supervisor keeps ready; it keeps the title when it gets a session. */
export const SPARE = "claude bg-spare";

export const process: ProcessRule = {
  name: "claude",
  paths: ["@anthropic-ai/claude-code/cli.js", "/claude/versions/"],
  // The host is the terminal of a session in the background.
  titles: new Map([
    [SPARE, true],
    ["claude bg-pty-host", false],
  ]),
  // `attach` shows a session and takes its keys, so it counts as one.
  others: new Set([
    "agents",
    "auth",
    "auto-mode",
    "config",
    "daemon",
    "doctor",
    "gateway",
    "import",
    "install",
    "kill",
    "logs",
    "mcp",
    "migrate-installer",
    "plugin",
    "plugins",
    "purge",
    "respawn",
    "rm",
    "setup-token",
    "stop",
    "ultrareview",
    "update",
    "upgrade",
  ]),
};
