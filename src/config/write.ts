/** Writes the user's configuration file: completely or not at all, and never over existing content. */
import { constants, copyFileSync, existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { CONFIG_VERSION, readConfigFile } from "./file.js";
import type { ConfigIssue } from "./issue.js";
import { type ConfigValue, checkValue } from "./key.js";
import { KEY_BY_NAME } from "./keys.js";
import { makeFolder } from "./paths.js";
import { OWN_TABLES, tablesOf } from "./tables.js";
import { configText } from "./text.js";
import { writeNew, writeWhole } from "./whole-file.js";

/** Creates the file; false if it already exists, and leaves it unchanged. */
export function writeNewConfig(path: string, text: string): boolean {
  makeFolder(dirname(path));
  return writeNew(path, text);
}

export interface Migration {
  /** The new text; null if the file already has the current layout or cannot be read. */
  text: string | null;
  /** Values that cannot be migrated: the user has to fix the file first. */
  issues: ConfigIssue[];
  /** The user's comments remain only in the old file. */
  hasComments: boolean;
}

/** The file in the current layout, with its values, channels and presets. */
export function migrateConfig(path: string): Migration {
  const file = readConfigFile(path);
  if (!file || file.version >= CONFIG_VERSION) return { text: null, issues: file?.issues ?? [], hasComments: false };
  const values = new Map<string, ConfigValue>();
  const issues: ConfigIssue[] = [];
  for (const { name, value, position } of file.entries) {
    // Copied unchanged: errors in them are reported when they are loaded.
    if (OWN_TABLES.some((table) => name.startsWith(`${table}.`))) continue;
    const key = KEY_BY_NAME.get(name);
    const checked = key && checkValue(key, value);
    if (checked === undefined)
      issues.push({ level: "error", where: path, position, text: `${name} with this value cannot be migrated` });
    else values.set(name, checked);
  }
  const text = configText(
    values,
    OWN_TABLES.map((name) => [name, tablesOf(path, name).tables]),
  );
  return { text, issues, hasComments: COMMENT.test(readFileSync(path, "utf8")) };
}

/** A # outside single-line strings. */
const COMMENT = /^[^"'#\n]*(?:(?:"[^"\n]*"|'[^'\n]*')[^"'#\n]*)*#/m;

/** Replaces the text and returns the path of the backup. A link stays a link. */
export function replaceConfig(path: string, text: string): string {
  const real = realpathSync(path);
  let kept = `${real}.old`;
  for (let again = 2; existsSync(kept); again++) kept = `${real}.old-${again}`;
  copyFileSync(real, kept, constants.COPYFILE_EXCL);
  writeWhole(real, text);
  return kept;
}
