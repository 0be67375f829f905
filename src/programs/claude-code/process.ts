import type { ProcessRule } from "../program.js";

export const process: ProcessRule = {
  name: "claude",
  paths: ["@anthropic-ai/claude-code/cli.js", "/claude/versions/"],
  others: new Set([
    "auth",
    "config",
    "daemon",
    "doctor",
    "install",
    "mcp",
    "migrate-installer",
    "plugin",
    "setup-token",
    "update",
  ]),
};
