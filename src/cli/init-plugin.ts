/**
 * The plugin for Claude Code (`plugin/`), as `rouse init` installs it: a copy in rouse's state folder, whose path does
 * not change with an update of the package.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolder, makePrivateFolder, rousePaths } from "../config/paths.js";
import { versionFit } from "../core/version-fit.js";
import type { PluginPart } from "../programs/hooks.js";
import { partOf } from "../programs/part.js";
import { programFor } from "../programs/registry.js";
import { commandLine } from "../programs/settings/json-hooks.js";
import { hooksOf } from "../setup/hooks-install.js";
import { findProgram } from "../terminal/find-program.js";
import { askVersion } from "./commands/doctor/programs.js";

const SHIPPED = fileURLToPath(new URL("../../plugin/", import.meta.url));
/** Hooks in the settings, hooks of the plugin, or no change. */
export type HookWay = { way: "hooks" | "plugin" | "nothing"; note: string | null };

export const pluginFolder = ({ folder }: PluginPart): string => join(rousePaths().state, folder);

interface Asked {
  program: string;
  plugin: PluginPart;
  settings: string;
  /** Set by an option. */
  wanted: boolean | undefined;
  /** The user named the program. */
  isNamed: boolean;
}

export async function hookWay({ program, plugin, settings, wanted, isNamed }: Asked): Promise<HookWay> {
  const as = (way: HookWay["way"], note: string | null = null): HookWay => ({ way, note });
  if (wanted !== undefined) return as(wanted ? "plugin" : "hooks");
  const state = hooksOf(program).pluginState(settings);
  if (state === "on" || state === "foreign") return as("plugin");
  if (!isNamed)
    return state === "off"
      ? as("nothing", `the plugin is installed but disabled (unchanged); \`rouse init ${program}\` enables it`)
      : as("hooks");
  const command = partOf(programFor(program).process)?.name ?? program;
  const version = await versionOf(command);
  // Tested with this version; later ones are assumed to work.
  if (version !== null && versionFit({ from: plugin.since, to: "9999" }, version) !== -1) return as("plugin");
  const why = version === null ? `${command} is not on the PATH` : `version ${version} is older than ${plugin.since}`;
  return as("hooks", `${why}: installed hooks without the plugin (force it with --plugin)`);
}

async function versionOf(command: string): Promise<string | null> {
  if (findProgram(command, process.env, process.cwd()) !== "found") return null;
  const said = await askVersion(command, ["--version"], process.env);
  return /\d{1,6}(?:\.\d{1,6}){1,3}/.exec(said ?? "")?.[0] ?? null;
}

/** Returns true if anything changed. */
export function writePlugin(plugin: PluginPart, command: readonly string[]): boolean {
  const folder = pluginFolder(plugin);
  makePrivateFolder(rousePaths().state);
  const stale = plugin.files.filter((file) => textIn(folder, file) !== rendered(file, command));
  for (const file of stale) {
    const path = join(folder, file);
    makeFolder(dirname(path), 0o777);
    writeFileSync(path, rendered(file, command));
  }
  return stale.length > 0;
}

/** Returns true if there was one. */
export function deletePlugin(plugin: PluginPart): boolean {
  const isThere = existsSync(pluginFolder(plugin));
  rmSync(pluginFolder(plugin), { recursive: true, force: true });
  return isThere;
}

interface McpFile {
  mcpServers: { rouse: { command: string; args: string[] } };
}
interface HooksFile {
  hooks: Record<string, { hooks: { command: string }[] }[]>;
}

/** A file of the plugin, with `command` in place of `rouse`. */
function rendered(file: string, command: readonly string[]): string {
  const text = readFileSync(join(SHIPPED, file), "utf8");
  if (command.join(" ") === "rouse") return text;
  if (file === ".mcp.json") {
    const value = JSON.parse(text) as McpFile;
    const { rouse } = value.mcpServers;
    const [program = "", ...args] = command;
    value.mcpServers.rouse = { ...rouse, command: program, args: [...args, ...rouse.args] };
    return jsonText(value);
  }
  if (file !== "hooks/hooks.json") return text;
  const value = JSON.parse(text) as HooksFile;
  for (const hook of Object.values(value.hooks).flatMap((groups) => groups.flatMap(({ hooks }) => hooks)))
    hook.command = commandLine(command) + hook.command.slice("rouse".length);
  return jsonText(value);
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function textIn(folder: string, file: string): string | null {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch {
    return null;
  }
}
