import type { ProcessRule } from "../program.js";

export const process: ProcessRule = {
  name: "codex",
  paths: ["@openai/codex/bin/codex.js"],
  others: new Set([
    "app-server",
    "apply",
    "cloud",
    "completion",
    "debug",
    "features",
    "help",
    "login",
    "logout",
    "mcp",
    "mcp-server",
    "proto",
    "sandbox",
  ]),
};
