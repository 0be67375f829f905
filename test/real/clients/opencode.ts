import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./client.js";

export const OPENCODE: Client = {
  name: "opencode",
  kind: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  versionVariable: "ROUSE_REAL_OPENCODE",
  program: ".bin/opencode",
  // The package of its plugins, at every start.
  insists: ["registry.npmjs.org:443"],
  prepare({ home, url }, { asks }) {
    const folder = join(home, ".config", "opencode");
    mkdirSync(folder, { recursive: true });
    const scripted = {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${url}/v1`, apiKey: "no-secret" },
      models: { "scripted-1": { name: "Scripted 1", limit: { context: 200_000, output: 16_000 } } },
    };
    const config = {
      $schema: "https://opencode.ai/config.json",
      provider: { scripted },
      model: "scripted/scripted-1",
      small_model: "scripted/scripted-1",
      autoupdate: false,
      share: "disabled",
      permission: asks ? { bash: "ask", edit: "ask" } : { bash: "allow", edit: "allow" },
    };
    writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
    return {
      args: [],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
    };
  },
};
