/** What a host needs to know for reading its screen. Loads the configuration only if it sets one of these keys. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMPLETION_MARKER, DEFAULTS } from "../core/defaults.js";
import type { Config } from "./keys.js";

export interface ScreenSettings {
  /** Last lines stored with every reading. A project may lower the number when the lines are quoted. */
  previewLines: number;
  /** Text that agents print when all work is done; empty for none. */
  marker: string;
}

export const screenSettingsOf = ({ watchdog, health }: Config): ScreenSettings => ({
  previewLines: Math.max(DEFAULTS.output_preview_lines, watchdog.output_preview_lines),
  marker: health.completion_marker,
});

const VARIABLES = ["ROUSE_WATCHDOG_OUTPUT_PREVIEW_LINES", "ROUSE_HEALTH_COMPLETION_MARKER"];
const KEYS = ["output_preview_lines", "completion_marker"];

/** `folder` is the folder of `config.toml`. */
export async function readScreenSettings(folder: string): Promise<ScreenSettings> {
  if (VARIABLES.every((name) => process.env[name] === undefined) && !mentionsKey(folder))
    return { previewLines: DEFAULTS.output_preview_lines, marker: COMPLETION_MARKER };
  const { loadConfig } = await import("./load.js");
  return screenSettingsOf(loadConfig().config);
}

function mentionsKey(folder: string): boolean {
  try {
    const text = readFileSync(join(folder, "config.toml"), "utf8");
    return KEYS.some((key) => text.includes(key));
  } catch {
    return false;
  }
}
