/**
 * The plugin for Claude Code that comes with rouse (`plugin/`), as `rouse init` installs it: a copy in rouse's own folder,
 * which stays where it is when the package moves with an update, and which calls rouse as the hooks do.
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
/** Hooks in the settings, the plugin that has them too, or nothing that is changed. */
export type HookWay = { way: "hooks" | "plugin" | "nothing"; note: string | null };

export const pluginFolder = ({ folder }: PluginPart): string => join(rousePaths().state, folder);

interface Asked {
  program: string;
  plugin: PluginPart;
  settings: string;
  /** What was said by an option. */
  wanted: boolean | undefined;
  /** Whether the program was asked for by its name. */
  isNamed: boolean;
}

export async function hookWay({ program, plugin, settings, wanted, isNamed }: Asked): Promise<HookWay> {
  const as = (way: HookWay["way"], note: string | null = null): HookWay => ({ way, note });
  if (wanted !== undefined) return as(wanted ? "plugin" : "hooks");
  const state = hooksOf(program).pluginState(settings);
  if (state === "on" || state === "foreign") return as("plugin");
  if (!isNamed)
    return state === "off"
      ? as("nothing", `its plugin is there and off, so it stays off; rouse init ${program} turns it on`)
      : as("hooks");
  const command = partOf(programFor(program).process)?.name ?? program;
  const version = await versionOf(command);
  // Tried with this release, and taken to work with all later ones.
  if (version !== null && versionFit({ from: plugin.since, to: "9999" }, version) !== -1) return as("plugin");
  const why = version === null ? `${command} is not on the PATH` : `it is ${version}, older than ${plugin.since}`;
  return as("hooks", `${why}: hooks without the plugin, which --plugin installs all the same`);
}

async function versionOf(command: string): Promise<string | null> {
  if (findProgram(command, process.env, process.cwd()) !== "found") return null;
  const said = await askVersion(command, ["--version"], process.env);
  return /\d{1,6}(?:\.\d{1,6}){1,3}/.exec(said ?? "")?.[0] ?? null;
}

/** Returns whether anything changed. */
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

/** Returns whether there was one. */
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

/** A file of the plugin, with rouse called by these words. */
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
