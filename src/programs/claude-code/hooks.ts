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
      "its hooks post to the daemon: keep it up, for Claude Code shows an error for each hook that nobody takes",
      "the settings hold rouse's key, which lets a program tell and nothing else: keep them out of public places",
      ...(settings.includes('"allowedHttpHookUrls"')
        ? [`its allowedHttpHookUrls must name http://127.0.0.1:${port}/*`]
        : []),
    ],
  },
  plugin,
};
