/**
 * The configuration in effect: defaults, then the user's file, then project files, then variables, then flags. An
 * invalid value is reported and ignored, so that a typo in one line costs that line and never the watching.
 */
import { dirname, join, resolve } from "node:path";
import { BOTBOX_FILE, readBotbox } from "./botbox.js";
import { type ConfigEntry, readConfigFile } from "./file.js";
import type { ConfigIssue } from "./issue.js";
import { type ConfigKey, type ConfigValue, checkProjectValue, checkValue, expectedValue, valueOfText } from "./key.js";
import { type Config, KEY_BY_NAME, KEYS, toConfig } from "./keys.js";
import { rousePaths } from "./paths.js";
import type { Position } from "./positions.js";
import { suggestKey } from "./suggest.js";
import { OWN_TABLES } from "./tables.js";
import { strayVariables, variablesOf } from "./variables.js";

export type Layer = "default" | "user" | "project" | "environment" | "flag";

export interface ConfigOrigin {
  layer: Layer;
  /** The file, variable or flag; empty for a default. */
  where: string;
  position?: Position | undefined;
}

export interface LoadedConfig {
  config: Config;
  /** By full name. */
  origins: Record<string, ConfigOrigin>;
  issues: ConfigIssue[];
}

export interface LoadOptions {
  /** Project files are searched from this folder upwards. */
  cwd?: string;
  /** False excludes them. */
  projects?: boolean;
  env?: Readonly<Record<string, string | undefined>>;
  /** By full name; texts are read like variables. */
  flags?: Readonly<Record<string, unknown>>;
}

const PROJECT_FILE = ".rouse.toml";
const FOLDERS_MAX = 64;
const ISSUES_MAX = 50;

export function loadConfig({
  cwd = process.cwd(),
  projects = true,
  env = process.env,
  flags = {},
}: LoadOptions = {}): LoadedConfig {
  const loading = new Loading();
  const userFile = join(rousePaths(env).config, "config.toml");
  loading.takeFile("user", userFile);
  for (const folder of projects ? foldersTo(cwd) : []) {
    loading.takeBotbox(join(folder, BOTBOX_FILE));
    loading.takeFile("project", join(folder, PROJECT_FILE));
  }
  loading.takeVariables(env);
  loading.takeFlags(flags);
  return loading.finish();
}

class Loading {
  readonly #values = new Map<string, ConfigValue>();
  readonly #origins = new Map<string, ConfigOrigin>();
  readonly #issues: ConfigIssue[] = [];

  takeFile(layer: "user" | "project", path: string): void {
    const file = readConfigFile(path);
    if (!file) return;
    this.#issues.push(...file.issues);
    for (const entry of file.entries) this.#takeEntry(layer, path, entry);
  }

  /** Another program's file: it may have no block for rouse, or keys that are not rouse's. `rouse init` names those. */
  takeBotbox(path: string): void {
    const { entries, issues } = readBotbox(path);
    this.#issues.push(...issues.filter(({ level }) => level === "error"));
    for (const entry of entries) if (KEY_BY_NAME.has(entry.name)) this.#takeEntry("project", path, entry);
  }

  #takeEntry(layer: "user" | "project", where: string, { name, value, position }: ConfigEntry): void {
    const own = OWN_TABLES.find((table) => name === table || name.startsWith(`${table}.`));
    if (own !== undefined) {
      // Those of the user are read by `channels.ts`, `presets.ts`, `own-check.ts`, `agents.ts` and `sources.ts`.
      const text = `${own}: a project file may not define ${own}; define them in your own configuration`;
      if (layer === "project") this.#complain({ level: "refused", where, position, text });
      return;
    }
    const key = KEY_BY_NAME.get(name);
    const checked = key && checkValue(key, value);
    const refused =
      key && checked !== undefined && layer === "project"
        ? checkProjectValue(key, this.#current(name, key), checked)
        : null;
    if (!key) this.#complain({ level: "error", where, position, text: unknownKey(name) });
    else if (checked === undefined)
      this.#complain({ level: "error", where, position, text: this.#badValue(name, key, value) });
    else if (refused) this.#complain({ level: "refused", where, position, text: `${name}: a project file ${refused}` });
    else this.#set(name, checked, { layer, where, position });
  }

  takeVariables(env: Readonly<Record<string, string | undefined>>): void {
    for (const [name, key] of KEY_BY_NAME) {
      const variable = variablesOf(name, key).find((candidate) => env[candidate]);
      if (variable) this.#takeText("environment", variable, name, key, env[variable] ?? "");
    }
    for (const { name, near } of strayVariables(env))
      this.#complain({
        level: "error",
        where: name,
        text: `unknown variable${near ? `; did you mean ${near}?` : ""}`,
      });
  }

  takeFlags(flags: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(flags)) {
      if (value === undefined) continue;
      const where = `--set ${name}`;
      const key = KEY_BY_NAME.get(name);
      if (!key) this.#complain({ level: "error", where, text: unknownKey(name) });
      else if (typeof value === "string") this.#takeText("flag", where, name, key, value);
      else this.#takeChecked("flag", where, name, key, checkValue(key, value), value);
    }
  }

  #takeText(layer: Layer, where: string, name: string, key: ConfigKey, given: string): void {
    this.#takeChecked(layer, where, name, key, valueOfText(key, given), given);
  }

  #takeChecked(
    layer: Layer,
    where: string,
    name: string,
    key: ConfigKey,
    checked: ConfigValue | undefined,
    given: unknown,
  ): void {
    if (checked === undefined) {
      // The text names the key, and so does the origin of a flag.
      const at = layer === "flag" ? "--set" : where;
      this.#complain({ level: "error", where: at, text: this.#badValue(name, key, given) });
    } else this.#set(name, checked, { layer, where });
  }

  finish(): LoadedConfig {
    const origins: Record<string, ConfigOrigin> = {};
    for (const name of KEY_BY_NAME.keys()) origins[name] = this.#origins.get(name) ?? { layer: "default", where: "" };
    const config = toConfig(this.#values);
    const issues = [...this.#issues, ...contradictions(config)].slice(0, ISSUES_MAX);
    return { config, origins, issues };
  }

  #current(name: string, key: ConfigKey): ConfigValue {
    return this.#values.get(name) ?? key.default;
  }

  #set(name: string, value: ConfigValue, origin: ConfigOrigin): void {
    this.#values.set(name, value);
    this.#origins.set(name, origin);
  }

  #complain(issue: ConfigIssue): void {
    if (this.#issues.length < ISSUES_MAX) this.#issues.push(issue);
  }

  #badValue(name: string, key: ConfigKey, value: unknown): string {
    const found = (JSON.stringify(value) ?? String(value)).slice(0, 60);
    return `${name} must be ${expectedValue(key)}, found ${found}; using ${JSON.stringify(this.#current(name, key))}`;
  }
}

function unknownKey(name: string): string {
  const section = Object.keys(KEYS).includes(name);
  if (section) return `${name} is a section: write [${name}] and its keys below it`;
  const near = suggestKey(name, KEY_BY_NAME.keys());
  return `unknown key ${name.slice(0, 80)}; ignored${near ? `; did you mean ${near}?` : ""}`;
}

/** The outermost first: an inner file may be stricter than an outer one, and cannot hide it. */
function foldersTo(cwd: string): string[] {
  const found: string[] = [];
  let folder = resolve(cwd);
  for (let depth = 0; depth < FOLDERS_MAX; depth++) {
    found.unshift(folder);
    const above = dirname(folder);
    if (above === folder) break;
    folder = above;
  }
  return found;
}

/** Pairs of keys whose first value must not exceed the second. */
function contradictions({ check }: Config): ConfigIssue[] {
  const pairs: readonly (readonly [string, number, string, number])[] = [
    ["check.warning_hours", check.warning_hours, "check.critical_hours", check.critical_hours],
    ["check.critical_hours", check.critical_hours, "check.auto_resume_hours", check.auto_resume_hours],
  ];
  return pairs
    .filter(([, low, , high]) => low > high)
    .map(([low, lowValue, high, highValue]) => ({
      level: "notice",
      where: low,
      text: `must not exceed ${high} (${highValue}), found ${lowValue}`,
    }));
}
