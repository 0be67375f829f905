import { describe, expect, it } from "vitest";
import { clockText, timelineText } from "./timeline.js";

describe("a timeline as text", () => {
  it.each([
    [0, "0:00.0"],
    [59.96, "1:00.0"],
    [3725.5, "1:02:05.5"],
  ])("counts %d seconds as %s", (seconds, text) => {
    expect(clockText(seconds)).toBe(text);
  });

  it("shows time, state, end and reasons, wrapped at the width", () => {
    const text = timelineText(
      "claude/limit",
      [
        {
          t: 61,
          state: "rate_limited",
          cause: "limit",
          confidence: 0.9,
          until: "2026-03-02T15:00:00.000Z",
          reasons: ["At a usage limit for 3 s (transcript): You have hit your limit"],
        },
      ],
      { colour: false, columns: 60 },
    );
    expect(text.split("\n")).toEqual([
      "claude/limit",
      "   1:01.0  rate_limited/limit until 2026-03-02 15:00 UTC",
      "           At a usage limit for 3 s (transcript): You have",
      "           hit your limit",
      "",
    ]);
  });
});
