import { describe, expect, it } from "vitest";
import { ResetTimes } from "./reset-times.js";

const AT = Date.parse("2026-11-15T12:00:00Z");

describe("the end of a limit on the screen", () => {
  it("is counted from the check that reads it", () => {
    const times = new ResetTimes({ zone: "UTC" });
    const text = "You have reached your usage limit. Resets in 2 hours.";
    expect(times.until(text, AT)).toBe(AT + 7_200_000);
    expect(times.until(text, AT + 10_000)).toBe(AT + 7_210_000);
  });

  it("is absent at every check if the text names none", () => {
    const times = new ResetTimes({ zone: "UTC" });
    for (const seconds of [0, 0.5, 59, 61, 3600]) {
      expect(times.until("stream disconnected before completion", AT + seconds * 1000)).toBeUndefined();
    }
  });

  it("is the same with any spinner mark before its words", () => {
    const times = new ResetTimes({ zone: "UTC" });
    for (const sign of ["🌖", "⠋", "  ✻", "│ ●"]) {
      expect(times.until(`${sign} Retrying (2/10) · your limit resets at 15:00 UTC`, AT)).toBe(AT + 3 * 3_600_000);
    }
  });

  it("is read in the zone of the terminal's user", () => {
    const [utc, berlin] = ["UTC", "Europe/Berlin"].map((zone) => new ResetTimes({ zone }).until("resets 3pm", AT));
    expect(utc).toBe(Date.parse("2026-11-15T15:00:00Z"));
    expect(berlin).toBe(Date.parse("2026-11-15T14:00:00Z"));
  });
});
