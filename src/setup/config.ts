/**
 * The configuration file that `rouse init` creates: every key with its description, and its default after a `#`. The
 * `agents.health` block of a .botbox.json in this folder is imported. An existing file is never changed.
 */
import { join } from "node:path";
import { BOTBOX_FILE, importBotbox } from "../config/botbox.js";
import { readTrustedFile } from "../config/file.js";
import { issueText } from "../config/issue.js";
import type { ConfigValue } from "../config/key.js";
import { configText, tomlLine } from "../config/text.js";
import { hasContent } from "../config/whole-file.js";
import { writeNewConfig } from "../config/write.js";
import { sanitize } from "../core/text/sanitize.js";

export interface ConfigCreation {
  /** Report of the changes, in lines. */
  text: string;
  /** Values that could not be imported, in lines. */
  issues: string[];
}

export function createConfig(path: string, folder: string, dry: boolean): ConfigCreation {
  const botbox = join(folder, BOTBOX_FILE);
  const { values, issues } = importBotbox(botbox);
  const lines = [...values].map(([name, value]) => `  ${assignment(name, value)}\n`).join("");
  const from = values.size > 0 ? ` with ${values.size} from ${botbox}:\n${lines}` : "\n";
  const reported = issues.map((issue) => sanitize(issueText(issue)));
  const found = readTrustedFile(path);
  if (found !== null && typeof found !== "string")
    return { text: "", issues: [sanitize(issueText(found)), ...reported] };
  if (hasContent(path)) {
    const left = values.size > 0 ? `; to add from ${botbox}:\n${lines}` : "\n";
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
