/**
 * Claude Code's hooks that post instead of starting a process. Measured with 2.1.325: it skips them for `SessionStart`,
 * waits for the answer, and shows the user a notice for each failed delivery, so they are for a daemon that is always
 * up.
 */
import type { JsonRecord } from "../../readers/records/json.js";
import type { HttpTarget } from "../hooks.js";
import { claudeCode } from "./screens.js";

const NEVER_POSTED: ReadonlySet<string> = new Set(["SessionStart", "Setup"]);
/** Seconds that Claude Code waits; the daemon answers as soon as it has the payload. */
const TIMEOUT_SECS = 5;

const PATH = `/v1/hooks/${claudeCode.id}`;

/** Null if this event has no such hooks. */
export function httpEntry(event: string, { port, key }: HttpTarget): JsonRecord | null {
  if (NEVER_POSTED.has(event)) return null;
  return {
    type: "http",
    url: `http://127.0.0.1:${port}${PATH}`,
    timeout: TIMEOUT_SECS,
    // A variable is substituted only if it is named below; an unset one is empty.
    headers: { Authorization: `Bearer ${key}`, "x-rouse-session": "$ROUSE_SESSION" },
    allowedEnvVars: ["ROUSE_SESSION"],
  };
}

export function isOurUrl(url: string): boolean {
  const [, path] = /^http:\/\/(?:127\.0\.0\.1|localhost):\d{1,5}(\/.{1,100})$/.exec(url.slice(0, 200)) ?? [];
  return path === PATH;
}
