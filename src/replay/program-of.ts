import type { JsonRecord } from "../readers/json.js";

/** Whose transcript it is, by the fields that only that program writes. */
export function programOf(records: readonly (JsonRecord | null)[]): string {
  const has = (...keys: string[]): boolean => records.some((r) => r !== null && keys.every((k) => k in r));
  if (has("timestamp", "type", "payload")) return "codex";
  if (has("sessionId", "type", "uuid") || has("parentUuid")) return "claude-code";
  if (has("table", "data")) return "opencode";
  if (has("sessionId", "projectHash") || records.some((r) => r?.type === "gemini")) return "gemini";
  return "generic";
}
