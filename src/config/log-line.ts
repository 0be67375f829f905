/**
 * A line of rouse's own logs: JSON, so no text can forge a second line or move a cursor, and without secrets. It is
 * safe to read in a terminal.
 */

import { redact } from "../core/text/redact.js";
import { sanitizedJson } from "../core/text/sanitize.js";

const TEXT_MAX = 16_000;

export function logLine(from: string, text: string, at: number = Date.now()): string {
  return `${sanitizedJson({ at: new Date(at).toISOString(), from, text: redact(text.slice(0, TEXT_MAX)) })}\n`;
}
