import { describe, expect, it } from "vitest";
import { KEY_BY_NAME, KEYS } from "./keys.js";

/** A literal copy on purpose: an agent can write a project file, so each key that it may set is a decision. */
const SETTABLE = {
  "watchdog.poll_interval_secs": "lower",
  "watchdog.stuck_threshold_intervals": "lower",
  "watchdog.output_preview_lines": "lower",
  "watchdog.worker_tags": "add",
  "health.enabled": "on",
  "health.idle_timeout_minutes": "lower",
  "health.completion_timeout_minutes": "lower",
  "health.rate_limit_backoff_seconds": "higher",
  "health.repeated_error_threshold": "lower",
  "health.auto_kill_on_idle": "off",
  "health.auto_kill_on_repeated_error": "off",
  "checkpoints.checkpoint_stall_minutes": "lower",
  "checkpoints.claim_stale_minutes": "lower",
  "diagnosis.enabled": "off",
  "activity.lookback_minutes": "lower",
  "activity.min_confidence_threshold": "higher",
  "activity.tier1_window_seconds": "lower",
  "activity.tier2_window_seconds": "lower",
  "activity.tier3_window_seconds": "lower",
  "activity.noise_patterns": "add",
  "resume.validate_activity": "on",
  "check.warning_hours": "lower",
  "check.critical_hours": "lower",
  "check.auto_resume_hours": "lower",
  "spend.tokens_per_night": "budget",
  "spend.cost_usd_per_night": "budget",
};

describe("the keys of the configuration", () => {
  it("may be set by a project file only if they are in this list, and only in the stricter direction", () => {
    const settable = [...KEY_BY_NAME].flatMap(([name, { project }]) => (project === "never" ? [] : [[name, project]]));
    expect(Object.fromEntries(settable)).toEqual(SETTABLE);
  });

  it("give a client over MCP the rights to read and report, and the right to control only if the user grants it", () => {
    expect(KEYS.mcp.rights.default).toEqual(["read", "report"]);
    expect(KEYS.mcp.rights.project).toBe("never");
  });
});
