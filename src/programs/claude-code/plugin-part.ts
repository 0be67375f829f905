import type { PluginPart } from "../hooks.js";

export const plugin: PluginPart = {
  folder: "claude-code-plugin",
  files: [
    ".claude-plugin/plugin.json",
    ".claude-plugin/marketplace.json",
    "hooks/hooks.json",
    ".mcp.json",
    "commands/rouse.md",
    "README.md",
  ],
  since: "2.1.100",
};
