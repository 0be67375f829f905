/** A configuration file as text: every key with its description; keys with a given value are set. */
import { stringify } from "smol-toml";
import { CONFIG_VERSION } from "./file.js";
import type { ConfigKey, ConfigValue } from "./key.js";
import { KEYS } from "./keys.js";

const HEAD = `# rouse settings. Commented lines show the defaults; remove the # to change one.
# Precedence, lowest first: this file, a project's .rouse.toml (which may only be stricter), ROUSE_* variables, flags.
# \`rouse config show --origin\` prints the values in effect and their sources.
version = ${CONFIG_VERSION}
`;

const CHANNELS = `
# Alert channels, one table each, of type slack, discord, ntfy, gotify, telegram, webhook, email, desktop, terminal or command.
#   [channels.ops]
#   type = "ntfy"
#   topic = "choose-a-topic-that-is-hard-to-guess"
#   severity = "warning"     # or "critical": only what needs you
`;

const PRESETS = `
# Presets for \`rouse spawn --preset NAME\`, one table each: a program (harness) and its model.
#   [presets.watchdog]
#   harness = "claude"
#   description = "Dedicated worker monitoring agent"
#   config = { model = "haiku" }
`;

const AGENTS = `
# Agents that rouse may start for tasks (\`rouse spawn --task ID --as NAME\`, continuations), one table each.
#   [agents.claude]
#   command = ["claude", "{prompt}"]   # or {prompt_file}; without either, rouse types where the prompt is
#   directive = "Work autonomously. Commit after each step."
`;

/** The commented default file; given values are set in their places, and the user's own tables follow. */
export function configText(
  values: ReadonlyMap<string, ConfigValue> = new Map(),
  tables: readonly (readonly [name: string, table: Readonly<Record<string, unknown>>])[] = [],
): string {
  const sections = Object.entries<Record<string, ConfigKey>>(KEYS).map(([section, keys]) => {
    const lines = Object.entries(keys).flatMap(([name, key]) => {
      const own = values.get(`${section}.${name}`);
      return [`# ${key.description}`, own === undefined ? `# ${tomlLine(name, key.default)}` : tomlLine(name, own)];
    });
    return `\n[${section}]\n${lines.join("\n")}\n`;
  });
  const own = tables
    .filter(([, table]) => Object.keys(table).length > 0)
    .map(([name, table]) => `\n${stringify({ [name]: table })}`);
  return HEAD + sections.join("") + CHANNELS + PRESETS + AGENTS + own.join("");
}

/** `name = value` as TOML. */
export function tomlLine(name: string, value: ConfigValue): string {
  return stringify({ [name]: value }).trimEnd();
}
