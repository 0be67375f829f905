/**
 * Every answer of the API passes through here, over each interface. Agents control names, output and messages, so control
 * bytes are removed, secrets are masked, and long texts are cut.
 */

import { redact } from "../core/text/redact.js";
import { sanitizeLine } from "../core/text/sanitize.js";

const TEXT_MAX = 4000;
const LIST_MAX = 5000;
const DEPTH_MAX = 12;

export function redactOutput<T>(value: T): T {
  return clean(value, 0) as T;
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redact(sanitizeLine(value.slice(0, TEXT_MAX)));
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return null;
  if (Array.isArray(value)) return value.slice(0, LIST_MAX).map((one) => clean(one, depth + 1));
  const fields = Object.entries(value).slice(0, LIST_MAX);
  return Object.fromEntries(
    fields.map(([key, one]) => [redact(sanitizeLine(key.slice(0, 200))), clean(one, depth + 1)]),
  );
}
