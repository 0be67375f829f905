/** Writing the user's configuration file: whole or not at all, and never over somebody's words. */
import { constants, copyFileSync, existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { tablesOf } from "./channels.js";
import { CONFIG_VERSION, readConfigFile } from "./file.js";
import type { ConfigIssue } from "./issue.js";
import { type ConfigValue, checkValue } from "./key.js";
import { KEY_BY_NAME } from "./keys.js";
import { makeFolder } from "./paths.js";
import { configText } from "./text.js";
import { writeNew, writeWhole } from "./whole-file.js";

/** Writes a file that is not there yet; false when there is one, which stays as it is. */
export function writeNewConfig(path: string, text: string): boolean {
  makeFolder(dirname(path));
  return writeNew(path, text);
}

export interface Migration {
  /** The new text, or null when the file is of today's layout or not to be read. */
  text: string | null;
  /** What could not be taken along: stop here, the file is to be mended first. */
  issues: ConfigIssue[];
  /** Comments of its own stay behind in the old file. */
  hasComments: boolean;
}

/** The file in today's layout, with the values and channels that it has. */
export function migrateConfig(path: string): Migration {
  const file = readConfigFile(path);
  if (!file || file.version >= CONFIG_VERSION) return { text: null, issues: file?.issues ?? [], hasComments: false };
  const values = new Map<string, ConfigValue>();
  const issues: ConfigIssue[] = [];
  for (const { name, value, position } of file.entries) {
    // As they stand: what is wrong with one is told where channels are used.
    if (name.startsWith("channels.")) continue;
    const key = KEY_BY_NAME.get(name);
    const checked = key && checkValue(key, value);
    if (checked === undefined)
      issues.push({ level: "error", where: path, position, text: `${name} with this value cannot be migrated` });
    else values.set(name, checked);
  }
  const text = configText(values, tablesOf(path).tables);
  return { text, issues, hasComments: COMMENT.test(readFileSync(path, "utf8")) };
}

/** A # that stands in no text of one line. */
const COMMENT = /^[^"'#\n]*(?:(?:"[^"\n]*"|'[^'\n]*')[^"'#\n]*)*#/m;

/** Puts the new text in place of the old and returns where the old one is kept. A link stays a link. */
export function replaceConfig(path: string, text: string): string {
  const real = realpathSync(path);
  let kept = `${real}.old`;
  for (let again = 2; existsSync(kept); again++) kept = `${real}.old-${again}`;
  copyFileSync(real, kept, constants.COPYFILE_EXCL);
  writeWhole(real, text);
  return kept;
}
