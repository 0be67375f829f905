/** The number of screen lines that a host stores with every reading. Loads the configuration only if it sets the number. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULTS } from "../core/defaults.js";

const KEY = "output_preview_lines";

/** `folder` is the folder of `config.toml`. A project may lower the number when the lines are quoted. */
export async function storedPreviewLines(folder: string): Promise<number> {
  const usual = DEFAULTS.output_preview_lines;
  if (process.env[`ROUSE_WATCHDOG_${KEY.toUpperCase()}`] === undefined && !mentionsKey(folder)) return usual;
  const { loadConfig } = await import("./load.js");
  return Math.max(usual, loadConfig().config.watchdog[KEY]);
}

function mentionsKey(folder: string): boolean {
  try {
    return readFileSync(join(folder, "config.toml"), "utf8").includes(KEY);
  } catch {
    return false;
  }
}
