/** A configuration file as text: every key with its sentence, and those that have a value of their own written out. */
import { stringify } from "smol-toml";
import { CONFIG_VERSION } from "./file.js";
import type { ConfigKey, ConfigValue } from "./key.js";
import { KEYS } from "./keys.js";

const HEAD = `# Settings of rouse. A line with # in front shows the default; take the # away to change it.
# Order: this file, then .rouse.toml of a project (which may only be stricter), then ROUSE_* variables, then flags.
# \`rouse config show --origin\` tells what is in effect and where it comes from.
version = ${CONFIG_VERSION}
`;

const CHANNELS = `
# Where alerts go: one table per channel, of type slack, discord, ntfy, telegram, webhook, email, desktop, terminal or command.
#   [channels.ops]
#   type = "ntfy"
#   topic = "choose-one-that-nobody-guesses"
#   severity = "warning"
`;

/** The commented default file; values by full name are written out in their places, and channels behind them. */
export function configText(
  values: ReadonlyMap<string, ConfigValue> = new Map(),
  channels: Readonly<Record<string, unknown>> = {},
): string {
  const sections = Object.entries<Record<string, ConfigKey>>(KEYS).map(([section, keys]) => {
    const lines = Object.entries(keys).flatMap(([name, key]) => {
      const own = values.get(`${section}.${name}`);
      return [`# ${key.says}`, own === undefined ? `# ${tomlLine(name, key.default)}` : tomlLine(name, own)];
    });
    return `\n[${section}]\n${lines.join("\n")}\n`;
  });
  const own = Object.keys(channels).length > 0 ? `\n${stringify({ channels })}` : "";
  return HEAD + sections.join("") + CHANNELS + own;
}

/** `name = value` as TOML. */
export function tomlLine(name: string, value: ConfigValue): string {
  return stringify({ [name]: value }).trimEnd();
}
