/**
 * The configuration file that `rouse init` begins: every key with its sentence and its default behind a `#`. The
 * `agents.health` block of a .botbox.json in this folder is taken over. A file that is there already is never touched.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ImportedValues, importBotbox } from "../config/botbox.js";
import { readTrustedFile } from "../config/file.js";
import { type ConfigIssue, issueText } from "../config/issue.js";
import type { ConfigValue } from "../config/key.js";
import { configText, tomlLine } from "../config/text.js";
import { isBegun } from "../config/whole-file.js";
import { writeNewConfig } from "../config/write.js";
import { sanitize } from "../core/text/sanitize.js";

const BOTBOX = ".botbox.json";
const BOTBOX_BYTES_MAX = 1024 * 1024;

export interface BegunConfig {
  /** What was done, in lines. */
  text: string;
  /** What could not be taken over, in lines. */
  issues: string[];
}

export function beginConfig(path: string, folder: string, dry: boolean): BegunConfig {
  const { values, issues } = readBotbox(join(folder, BOTBOX));
  const lines = [...values].map(([name, value]) => `  ${assignment(name, value)}\n`).join("");
  const from = values.size > 0 ? `, with ${values.size} of ${join(folder, BOTBOX)}:\n${lines}` : "\n";
  const reported = issues.map((issue) => sanitize(issueText(issue)));
  const found = readTrustedFile(path);
  if (found !== null && typeof found !== "string")
    return { text: "", issues: [sanitize(issueText(found)), ...reported] };
  if (isBegun(path)) {
    const left = values.size > 0 ? `; ${join(folder, BOTBOX)} says, for you to add:\n${lines}` : "\n";
    return { text: `configuration: ${path} is there and stays as it is${left}`, issues: reported };
  }
  if (dry) return { text: `configuration: would begin ${path}${from}`, issues: reported };
  writeNewConfig(path, configText(values));
  return { text: `configuration: ${path} begun${from}`, issues: reported };
}

function assignment(name: string, value: ConfigValue): string {
  const [section = "", key = ""] = name.split(".");
  return `${section}.${sanitize(tomlLine(key, value), 200)}`;
}

/** Only a plain file of its own: what stands in a project's folder may be anything. */
function readBotbox(path: string): ImportedValues {
  const nothing: ImportedValues = { values: new Map(), issues: [] };
  const refused = (text: string): ImportedValues => {
    const issue: ConfigIssue = { level: "error", where: path, text };
    return { ...nothing, issues: [issue] };
  };
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? nothing : refused(`${message}; nothing is taken over`);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > BOTBOX_BYTES_MAX)
      return refused("it is not a regular file of at most 1 MB; nothing is taken over");
    return importBotbox(path, readFileSync(file, "utf8"));
  } finally {
    closeSync(file);
  }
}
