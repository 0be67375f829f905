/** Claude Code's hooks: in its settings, or those of the plugin, never both. */
import type { EditResult, HookCode, HookOptions } from "../hooks.js";
import { byEvent, byTool, editJsonHooks } from "../settings/json-hooks.js";
import type { JsonHooks } from "../settings/json-settings.js";
import { httpEntry, isOurUrl } from "./http-hook.js";
import { addPlugin, pluginState, removePlugin } from "./plugin.js";
import { claudeCode } from "./screens.js";

/**
 * Edges only. Streaming text (`MessageDisplay`) would start a process for every few words; the other events of Claude
 * Code add nothing to these.
 */
export const CLAUDE_EVENTS: JsonHooks["events"] = [
  ...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"].map(byTool),
  ...[
    "SessionStart",
    "UserPromptSubmit",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
  ].map(byEvent),
];

/** Seconds. The hook ends by itself after two. */
const TIMEOUT_SECS = 5;

function edit(text: string, options: HookOptions): EditResult {
  const { plugin, remove = false } = options;
  const hooks = editJsonHooks(
    text,
    { ...options, remove: remove || plugin !== undefined },
    { program: claudeCode.id, events: CLAUDE_EVENTS, more: { timeout: TIMEOUT_SECS }, httpEntry, isOurUrl },
  );
  if (!hooks.ok) return hooks;
  return plugin === undefined || remove ? removePlugin(hooks.text) : addPlugin(hooks.text, plugin);
}

export const hookCode: HookCode = { edit, pluginState };
