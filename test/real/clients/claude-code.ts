import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./client.js";

const KEY = "sk-ant-api03-scripted-model-server-no-secret-000000";

export const CLAUDE_CODE: Client = {
  name: "claude",
  kind: "claude-code",
  package: "@anthropic-ai/claude-code",
  version: "2.1.325",
  versionVariable: "ROUSE_REAL_CLAUDE",
  // Not the wrapper but the package's own program, which does not depend on the version of Node.js.
  program: ".bin/claude",
  insists: [],
  addsMcp: (name, command, env) => {
    const given = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    return ["mcp", "add", name, ...given, "--", ...command];
  },
  prepare({ home, project, url }, { asks, account }) {
    const folder = join(home, ".claude");
    mkdirSync(folder, { recursive: true });
    const seen = {
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    };
    writeFileSync(join(home, ".claude.json"), JSON.stringify(seen));
    const permissions = asks
      ? { defaultMode: "default" }
      : { defaultMode: "acceptEdits", allow: ["Bash(*)", "Read", "Edit", "Write", "mcp__rouse"] };
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ permissions, disableAutoMode: "disable" }));
    return {
      args: [],
      env: {
        ANTHROPIC_BASE_URL: url,
        // Only signed-in users see a plan's limits.
        ...(account === "key"
          ? { ANTHROPIC_API_KEY: KEY }
          : { CLAUDE_CODE_OAUTH_TOKEN: `sk-ant-oat01-${"0".repeat(80)}` }),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
      },
    };
  },
};
