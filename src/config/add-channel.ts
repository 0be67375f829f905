/** Adds a channel to the user's file: at its end, so that all of its content and comments stay as they are. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { channelObjection } from "./channels.js";
import { CONFIG_VERSION, isTable } from "./file.js";
import { makeFolder, rousePaths } from "./paths.js";
import { writeWhole } from "./whole-file.js";

export type ChannelTable = Readonly<Record<string, string | boolean>>;

export interface AddedChannel {
  path: string;
  /** Takes the channel out again, unless the file was changed since. */
  undo: () => boolean;
}

/** Returns why it cannot be added, in words for the user. */
export function addChannel(name: string, table: ChannelTable): AddedChannel | { problem: string } {
  const path = join(rousePaths().config, "config.toml");
  const objection = channelObjection(name, { ...table });
  if (objection !== null) return { problem: objection };
  const before = existsSync(path) ? readFileSync(path, "utf8") : null;
  const present = tablesIn(before ?? "");
  if (present === null)
    return { problem: `${path} is not valid TOML; see \`rouse config show\`, and correct it first` };
  if (Object.hasOwn(present, name))
    return {
      problem: `a channel named ${name} exists; choose another --name, or try it: \`rouse alert test ${name}\``,
    };
  const start =
    before === null || before.trim() === "" ? `version = ${CONFIG_VERSION}\n` : before.replace(/\n*$/, "\n");
  const text = `${start}\n${tableText(name, table)}`;
  // For example if `channels` is an inline table, which cannot be continued.
  const after = tablesIn(text);
  if (JSON.stringify(after?.[name]) !== JSON.stringify(table))
    return {
      problem: `the channel cannot be added to ${path} by this command; add it by hand:\n${tableText(name, table)}`,
    };
  makeFolder(dirname(path));
  const real = before === null ? path : realpathSync(path);
  // An address is a secret, so only the user may read the file from now on.
  writeWhole(real, text);
  return { path, undo: () => undo(real, text, before) };
}

function undo(path: string, added: string, before: string | null): boolean {
  if (readFileSync(path, "utf8") !== added) return false;
  writeWhole(path, before ?? `version = ${CONFIG_VERSION}\n`);
  return true;
}

/** A JSON string is a TOML string too. */
const tableText = (name: string, table: ChannelTable): string =>
  `[channels.${name}]\n${Object.entries(table)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join("")}`;

/** The channels of a file; null if it is not valid TOML. */
function tablesIn(text: string): Record<string, unknown> | null {
  try {
    const { channels } = parse(text);
    return isTable(channels) ? channels : {};
  } catch {
    return null;
  }
}
