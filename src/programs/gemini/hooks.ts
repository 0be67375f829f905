import { join } from "node:path";
import type { HookPart } from "../hooks.js";

export const hooks: HookPart = {
  folder: (_env, home) => join(home, ".gemini"),
  file: "settings.json",
  load: async () => (await import("./hook-code.js")).hookCode,
  http: { absent: "its hooks start a command" },
  plugin: { absent: "rouse has no extension for it" },
};
