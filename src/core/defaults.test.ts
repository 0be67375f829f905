import { describe, expect, it } from "vitest";
import { DEFAULTS, settingOf } from "./defaults.js";

describe("the defaults", () => {
  it("are the values of the specifications", () => {
    expect(DEFAULTS).toMatchObject({
      poll_interval_secs: 30,
      stuck_threshold_intervals: 3,
      output_preview_lines: 5,
      idle_timeout_minutes: 15,
      completion_timeout_minutes: 10,
      rate_limit_backoff_seconds: 60,
      repeated_error_threshold: 5,
      repeated_error_window_minutes: 10,
      checkpoint_stall_minutes: 20,
      lookback_minutes: 60,
      min_confidence_threshold: 0.5,
      tier1_window_seconds: 3600,
      tier2_window_seconds: 1800,
      tier3_window_seconds: 900,
    });
  });

  it.each([
    [undefined, 15],
    [{}, 15],
    [{ idle_timeout_minutes: 0 }, 0],
    [{ idle_timeout_minutes: Number.NaN }, 15],
    [{ idle_timeout_minutes: "5" as unknown as number }, 15],
  ])("are replaced by %o only if it is a number", (settings, expected) => {
    expect(settingOf(settings, "idle_timeout_minutes")).toBe(expected);
  });
});
