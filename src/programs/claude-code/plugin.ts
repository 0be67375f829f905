/**
 * rouse's plugin in the settings of Claude Code: its marketplace, and that it is enabled. Measured with 2.1.325, these
 * two are sufficient; 2.1.100 fetches the plugin at its first start and has it from the second on.
 */
import { basename } from "node:path";
import { canonicalJson } from "../../core/digest.js";
import { asRecord } from "../../readers/records/json.js";
import type { EditResult, PluginState } from "../hooks.js";
import { editSettings, type ProgramSettings } from "../settings/json-settings.js";
import { plugin } from "./plugin-part.js";

const MARKET = "rouse";
const PLUGIN = "rouse@rouse";

function pluginStateOf(settings: ProgramSettings): PluginState {
  const isOn = asRecord(settings.enabledPlugins)?.[PLUGIN];
  if (typeof marketPath(settings) !== "string") return isOn === true ? "foreign" : "none";
  return isOn === true ? "on" : "off";
}

/** The state in a text that may be anything. */
export function pluginState(text: string): PluginState {
  let state: PluginState = "none";
  editSettings(text, [], (settings) => {
    state = pluginStateOf(settings());
  });
  return state;
}

export function addPlugin(text: string, folder: string): EditResult {
  let problem: string | null = null;
  const edited = editSettings(text, [], (settings, change) => {
    if (pluginStateOf(settings()) === "foreign") return;
    problem = errorOf(settings());
    if (problem !== null) return;
    const market = { source: { source: "directory", path: folder } };
    if (canonicalJson(asRecord(settings().extraKnownMarketplaces)?.[MARKET] ?? null) !== canonicalJson(market))
      change(["extraKnownMarketplaces", MARKET], market, false);
    if (asRecord(settings().enabledPlugins)?.[PLUGIN] !== true) change(["enabledPlugins", PLUGIN], true, false);
  });
  return problem === null ? edited : { ok: false, error: problem };
}

export function removePlugin(text: string): EditResult {
  if (text.trim() === "") return { ok: true, text };
  return editSettings(text, [], (settings, _change, remove) => {
    if (typeof marketPath(settings()) !== "string") return;
    for (const [name, key] of [
      ["enabledPlugins", PLUGIN],
      ["extraKnownMarketplaces", MARKET],
    ] as const) {
      const all = asRecord(settings()[name]);
      if (all?.[key] === undefined) continue;
      // Anything left empty was ours too.
      remove(Object.keys(all).length > 1 ? [name, key] : [name]);
    }
  });
}

/** The path of rouse's marketplace; null for another marketplace of this name, undefined for none. */
function marketPath({ extraKnownMarketplaces }: ProgramSettings): string | null | undefined {
  const market = asRecord(extraKnownMarketplaces)?.[MARKET];
  if (market === undefined) return undefined;
  const { source, path } = asRecord(asRecord(market)?.source) ?? {};
  return source === "directory" && typeof path === "string" && basename(path) === plugin.folder ? path : null;
}

function errorOf(settings: ProgramSettings): string | null {
  const wrong = (["extraKnownMarketplaces", "enabledPlugins"] as const).find(
    (name) => settings[name] !== undefined && asRecord(settings[name]) === null,
  );
  if (wrong !== undefined) return `"${wrong}" is not an object`;
  return marketPath(settings) === null ? `"extraKnownMarketplaces.${MARKET}" names another marketplace` : null;
}
