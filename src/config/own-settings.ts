/** The thresholds that the user set: without defaults and project files. */
import { DEFAULTS, type Defaults, type Settings } from "../core/defaults.js";
import { type Config, KEY_BY_NAME, settingsOf } from "./keys.js";
import { type LoadOptions, loadConfig } from "./load.js";

/** Switching this on also confirms the threshold in effect. */
const SWITCHES: Readonly<Record<string, keyof Defaults>> = { "health.auto_kill_on_idle": "idle_timeout_minutes" };

export function ownSettings(options: LoadOptions = {}): NonNullable<Settings["own"]> {
  const { config, origins } = loadConfig({ ...options, projects: false });
  const all = settingsOf(config);
  const own: Partial<Defaults> = {};
  for (const name of KEY_BY_NAME.keys()) {
    const key = isOn(config, name) ? SWITCHES[name] : name.split(".")[1];
    if (origins[name]?.layer !== "default" && isThreshold(key)) own[key] = all[key] ?? DEFAULTS[key];
  }
  return own;
}

function isOn(config: Config, name: string): boolean {
  const [section = "", key = ""] = name.split(".");
  return name in SWITCHES && (config as unknown as Record<string, Record<string, unknown>>)[section]?.[key] === true;
}

const isThreshold = (key: string | undefined): key is keyof Defaults =>
  key !== undefined && Object.hasOwn(DEFAULTS, key);
