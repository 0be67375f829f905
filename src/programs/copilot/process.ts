import type { ProcessRule } from "../program.js";

export const process: ProcessRule = {
  name: "copilot",
  paths: ["@github/copilot/"],
  others: new Set(["completion", "help", "init", "login", "mcp", "plugin", "skill", "update", "version"]),
};
