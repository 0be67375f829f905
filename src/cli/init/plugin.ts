/**
 * The plugin for Claude Code that comes with rouse (`plugin/`), as `rouse init` installs it: a copy in rouse's own folder,
 * which stays where it is when the package moves with an update, and which calls rouse as the hooks do.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolder, makePrivateFolder, rousePaths } from "../../config/paths.js";
import { versionFit } from "../../core/version-fit.js";
import { findProgram } from "../../host/find-program.js";
import { PLUGIN_FOLDER, pluginState } from "../../sensors/hooks/claude-plugin.js";
import { commandLine } from "../../sensors/hooks/hooks-install.js";
import { askVersion } from "../doctor/programs.js";

const SHIPPED = fileURLToPath(new URL("../../../plugin/", import.meta.url));
const FILES = [
  ".claude-plugin/plugin.json",
  ".claude-plugin/marketplace.json",
  "hooks/hooks.json",
  ".mcp.json",
  "commands/rouse.md",
  "README.md",
] as const;
/** The releases of Claude Code with which it was tried, and all later ones. */
const TRIED = { from: "2.1.100", to: "9999" };

/** Hooks in the settings, the plugin that has them too, or nothing that is changed. */
export type ClaudeWay = { way: "hooks" | "plugin" | "nothing"; note: string | null };

export const pluginFolder = (): string => join(rousePaths().state, PLUGIN_FOLDER);

/** `wanted` is what was said by an option; `isNamed`, whether it is asked for Claude Code by its name. */
export async function claudeWay(settings: string, wanted: boolean | undefined, isNamed: boolean): Promise<ClaudeWay> {
  const as = (way: ClaudeWay["way"], note: string | null = null): ClaudeWay => ({ way, note });
  if (wanted !== undefined) return as(wanted ? "plugin" : "hooks");
  const state = pluginState(settings);
  if (state === "on" || state === "foreign") return as("plugin");
  if (!isNamed)
    return state === "off"
      ? as("nothing", "its plugin is there and off, so it stays off; rouse init claude-code turns it on")
      : as("hooks");
  const version = await claudeVersion();
  if (version !== null && versionFit(TRIED, version) !== -1) return as("plugin");
  const why = version === null ? "claude is not on the PATH" : `it is ${version}, older than ${TRIED.from}`;
  return as("hooks", `${why}: hooks without the plugin, which --plugin installs all the same`);
}

async function claudeVersion(): Promise<string | null> {
  if (findProgram("claude", process.env, process.cwd()) !== "found") return null;
  const said = await askVersion("claude", ["--version"], process.env);
  return /\d{1,6}(?:\.\d{1,6}){1,3}/.exec(said ?? "")?.[0] ?? null;
}

/** Returns whether anything changed. */
export function writePlugin(command: readonly string[]): boolean {
  const folder = pluginFolder();
  makePrivateFolder(rousePaths().state);
  const stale = FILES.filter((file) => textIn(folder, file) !== rendered(file, command));
  for (const file of stale) {
    const path = join(folder, file);
    makeFolder(dirname(path), 0o777);
    writeFileSync(path, rendered(file, command));
  }
  return stale.length > 0;
}

/** Returns whether there was one. */
export function deletePlugin(): boolean {
  const isThere = existsSync(pluginFolder());
  rmSync(pluginFolder(), { recursive: true, force: true });
  return isThere;
}

interface McpFile {
  mcpServers: { rouse: { command: string; args: string[] } };
}
interface HooksFile {
  hooks: Record<string, { hooks: { command: string }[] }[]>;
}

/** A file of the plugin, with rouse called by these words. */
function rendered(file: (typeof FILES)[number], command: readonly string[]): string {
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
