import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "smol-toml";
import type { Client } from "./client.js";

export const CODEX: Client = {
  name: "codex",
  kind: "codex",
  package: "@openai/codex",
  version: "0.166.0",
  versionVariable: "ROUSE_REAL_CODEX",
  program: ".bin/codex",
  // The announcement of the day.
  insists: ["raw.githubusercontent.com:443"],
  addsMcp: (name, command, env) => {
    const given = Object.entries(env).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
    return ["mcp", "add", name, ...given, "--", ...command];
  },
  prepare({ home, project, url }, { asks }) {
    const folder = join(home, ".codex");
    mkdirSync(folder, { recursive: true });
    const scripted = { name: "scripted", base_url: `${url}/v1`, wire_api: "responses", env_key: "SCRIPTED_KEY" };
    const config = {
      model: "gpt-5.1-codex",
      model_provider: "scripted",
      approval_policy: asks ? "on-request" : "never",
      sandbox_mode: asks ? "workspace-write" : "danger-full-access",
      check_for_update_on_startup: false,
      analytics: { enabled: false },
      // Tips, plugins and apps are fetched from GitHub and chatgpt.com at every start.
      tui: { show_tooltips: false },
      features: { plugins: false, apps: false, remote_plugin: false },
      model_providers: { scripted },
      projects: { [project]: { trust_level: "trusted" } },
    };
    writeFileSync(join(folder, "config.toml"), stringify(config));
    // By default it starts its own daemon, which outlives the test.
    return { args: ["--no-daemon"], env: { SCRIPTED_KEY: "no-secret" } };
  },
};
