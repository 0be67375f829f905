import { describe, expect, it } from "vitest";
import { judgeScreen } from "./replay-screens.js";

describe("a row of a file of screens", () => {
  const row = {
    id: "a",
    agent: "claude",
    text: "5-hour limit reached ∙ resets 9pm",
    now: "2026-11-15T12:00:00Z",
    tz: "UTC",
  };

  it("is answered with its state and the end of its limit in UTC", () => {
    expect(judgeScreen(row)).toEqual({
      kind: "claude-code",
      case: "a",
      state: "rate_limited",
      cause: "limit",
      until: "2026-11-15T21:00:00.000Z",
    });
  });

  it("is read in the zone of its user", () => {
    expect(judgeScreen({ ...row, tz: "America/New_York" }).until).toBe("2026-11-16T02:00:00.000Z");
  });

  it("tells no time where it has none of its own", () => {
    expect(judgeScreen({ ...row, now: "yesterday" })).toMatchObject({ state: "rate_limited", until: null });
  });

  it("is judged by its text alone: labels are not read", () => {
    const labels = { id: "b", state: "working", negative: true, note: "trap", source: "x", looks_like: "working" };
    expect(judgeScreen({ ...row, ...labels })).toEqual({ ...judgeScreen(row), case: "b" });
  });

  it("may have anything in any field", () => {
    for (const odd of [null, 7, [], {}, "\u0000"]) {
      expect(judgeScreen({ id: odd, agent: odd, text: odd, now: odd, tz: odd }).state).toBe("unknown");
    }
  });
});
