import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./client.js";

export const GEMINI: Client = {
  name: "gemini",
  kind: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  versionVariable: "ROUSE_REAL_GEMINI",
  program: ".bin/gemini",
  insists: [],
  prepare({ home, project, url }, { asks }) {
    const folder = join(home, ".gemini");
    mkdirSync(folder, { recursive: true });
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      ide: { hasSeenNudge: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    };
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
    writeFileSync(join(folder, "trustedFolders.json"), JSON.stringify({ [project]: "TRUST_FOLDER" }));
    // A named model: otherwise another request chooses one before each turn.
    const args = ["--model", "gemini-3.8-flash", ...(asks ? [] : ["--yolo"])];
    const model = { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "no-secret", GEMINI_SANDBOX: "false" };
    // Without it, its composer has no border.
    return { args, env: { ...model, COLORTERM: "truecolor" } };
  },
};
