import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./client.js";

/** A fork of Gemini CLI without a profile in rouse: it measures the generic profile on an unknown program. */
export const QWEN_CODE: Client = {
  name: "qwen",
  kind: "generic",
  package: "@qwen-code/qwen-code",
  version: "0.24.4",
  versionVariable: "ROUSE_REAL_QWEN",
  program: ".bin/qwen",
  without: {
    "529": "it tries ten times, minutes apart: no end within a quarter of an hour",
    "usage limit": "it tries again without a word: the screen is that of a turn at work",
  },
  insists: [],
  prepare({ home, url }, { asks }) {
    const folder = join(home, ".qwen");
    mkdirSync(folder, { recursive: true });
    const settings = {
      security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
      general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      tools: { approvalMode: asks ? "default" : "yolo" },
    };
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
    const model = { OPENAI_API_KEY: "no-secret", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "qwen3-coder-plus" };
    return { args: asks ? [] : ["--yolo"], env: { ...model, QWEN_SANDBOX: "false" } };
  },
};
