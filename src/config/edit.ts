/** Sets keys in the text of a configuration file, and leaves every other line as it is, comments included. */
import { parse } from "smol-toml";
import { CONFIG_VERSION } from "./file.js";
import type { ConfigValue } from "./key.js";
import { tomlLine } from "./text.js";

/** Throws if the text cannot be edited line by line, such as one with `hub = { url = "…" }`. */
export function setInConfig(text: string, section: string, values: Readonly<Record<string, ConfigValue>>): string {
  const lines = (text === "" ? `version = ${CONFIG_VERSION}\n` : text).split("\n");
  let start = lines.findIndex((line) => new RegExp(`^\\s*\\[\\s*${section}\\s*\\]\\s*(?:#.*)?$`).test(line));
  if (start < 0) {
    while (lines.at(-1)?.trim() === "") lines.pop();
    lines.push("", `[${section}]`, "");
    start = lines.length - 2;
  }
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line));
  let end = next < 0 ? lines.length : next;
  for (const [name, value] of Object.entries(values)) {
    const inSection = lines.slice(start + 1, end);
    const set = inSection.findIndex((line) => new RegExp(`^\\s*${name}\\s*=`).test(line));
    const commented = inSection.findIndex((line) => new RegExp(`^#\\s*${name}\\s*=`).test(line));
    const found = set >= 0 ? set : commented;
    if (found >= 0) lines[start + 1 + found] = tomlLine(name, value);
    else {
      lines.splice(start + 1, 0, tomlLine(name, value));
      end++;
    }
  }
  const edited = lines.join("\n");
  const table = parse(edited)[section] as Record<string, unknown> | undefined;
  if (!table || Object.entries(values).some(([name, value]) => table[name] !== value))
    throw new Error(`the table [${section}] cannot be changed automatically`);
  return edited;
}
