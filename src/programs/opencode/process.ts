import type { ProcessRule } from "../program.js";

export const process: ProcessRule = {
  name: "opencode",
  paths: ["opencode-ai/bin/opencode"],
  others: new Set([
    "acp",
    "agent",
    "auth",
    "export",
    "github",
    "import",
    "mcp",
    "models",
    "serve",
    "stats",
    "uninstall",
    "upgrade",
    "web",
  ]),
};
