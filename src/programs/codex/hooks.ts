import { join } from "node:path";
import type { HookPart } from "../hooks.js";

export const hooks: HookPart = {
  folder: (env, home) => env.CODEX_HOME || join(home, ".codex"),
  file: "config.toml",
  load: async () => (await import("./config.js")).hookCode,
  http: { absent: "its notify setting starts a program" },
  plugin: { absent: "rouse has no plugin for it" },
};
