import type { ProcessRule } from "../program.js";

export const process: ProcessRule = {
  name: "claude",
  paths: ["@anthropic-ai/claude-code/cli.js", "/claude/versions/"],
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
