import type { ProcessRule } from "../program.js";

export const process: ProcessRule = {
  name: "gemini",
  paths: ["@google/gemini-cli/dist/index.js", "@google/gemini-cli/bundle/gemini.js"],
  others: new Set(["extensions", "hooks", "mcp", "skills"]),
};
