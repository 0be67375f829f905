/**
 * The configuration file that `rouse init` creates: every key with its description, and its default after a `#`. The
 * `agents.health` block of a .botbox.json in this folder is imported. An existing file is never changed.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ImportedValues, importBotbox } from "../config/botbox.js";
import { readTrustedFile } from "../config/file.js";
import { type ConfigIssue, issueText } from "../config/issue.js";
import type { ConfigValue } from "../config/key.js";
import { configText, tomlLine } from "../config/text.js";
import { hasContent } from "../config/whole-file.js";
import { writeNewConfig } from "../config/write.js";
import { sanitize } from "../core/text/sanitize.js";

const BOTBOX = ".botbox.json";
const BOTBOX_BYTES_MAX = 1024 * 1024;

export interface ConfigCreation {
  /** Report of the changes, in lines. */
  text: string;
  /** Values that could not be imported, in lines. */
  issues: string[];
}

export function createConfig(path: string, folder: string, dry: boolean): ConfigCreation {
  const { values, issues } = readBotbox(join(folder, BOTBOX));
  const lines = [...values].map(([name, value]) => `  ${assignment(name, value)}\n`).join("");
  const from = values.size > 0 ? ` with ${values.size} from ${join(folder, BOTBOX)}:\n${lines}` : "\n";
  const reported = issues.map((issue) => sanitize(issueText(issue)));
  const found = readTrustedFile(path);
  if (found !== null && typeof found !== "string")
    return { text: "", issues: [sanitize(issueText(found)), ...reported] };
  if (hasContent(path)) {
    const left = values.size > 0 ? `; to add from ${join(folder, BOTBOX)}:\n${lines}` : "\n";
    return { text: `${path} already exists (unchanged)${left}`, issues: reported };
  }
  if (dry) return { text: `Would create ${path}${from}`, issues: reported };
  writeNewConfig(path, configText(values));
  return { text: `Created ${path}${from}`, issues: reported };
}

function assignment(name: string, value: ConfigValue): string {
  const [section = "", key = ""] = name.split(".");
  return `${section}.${sanitize(tomlLine(key, value), 200)}`;
}

/** Only a regular file: a project's folder is not trusted. */
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
    return code === "ENOENT" ? nothing : refused(`${message}; nothing is imported`);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > BOTBOX_BYTES_MAX)
      return refused("not a regular file of at most 1 MB; nothing is imported");
    return importBotbox(path, readFileSync(file, "utf8"));
  } finally {
    closeSync(file);
  }
}
