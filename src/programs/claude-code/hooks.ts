import { join } from "node:path";
import type { HookPart } from "../hooks.js";
import { plugin } from "./plugin-part.js";

export const hooks: HookPart = {
  folder: (env, home) => env.CLAUDE_CONFIG_DIR || join(home, ".claude"),
  file: "settings.json",
  load: async () => (await import("./hook-code.js")).hookCode,
  http: {
    whenDown: "Claude Code shows an error for each",
    notes: (settings, port) => [
      "its hooks post to the daemon; while the daemon is down, Claude Code shows an error for each hook",
      "the settings contain a key of rouse that permits reporting only; do not publish them",
      ...(settings.includes('"allowedHttpHookUrls"')
        ? [`its allowedHttpHookUrls must include http://127.0.0.1:${port}/*`]
        : []),
    ],
  },
  plugin,
};
