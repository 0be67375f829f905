import type { HookCode } from "../hooks.js";
import { byEvent, byTool, editJsonHooks } from "../settings/json-hooks.js";
import { gemini } from "./screens.js";

const EVENTS = [
  ...["BeforeTool", "AfterTool"].map(byTool),
  ...["SessionStart", "BeforeAgent", "AfterAgent", "Notification", "PreCompress", "SessionEnd"].map(byEvent),
];

const TIMEOUT_MS = 5000;

export const hookCode: HookCode = {
  edit: (text, options) =>
    editJsonHooks(text, options, { program: gemini.id, events: EVENTS, more: { name: "rouse", timeout: TIMEOUT_MS } }),
  pluginState: () => "none",
};
