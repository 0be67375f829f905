import { describe, expect, it } from "vitest";
import type { State } from "../core/states.js";
import { type ScreenCase, type ScreenTruth, scoreScreens } from "./screens.js";

function screen(truth: Partial<ScreenTruth>, state: State | null, until: string | null = null): ScreenCase {
  return {
    truth: { id: "s-1", state: "working", also: [], negative: false, singleFrame: true, until: null, ...truth },
    verdict: state && { state, cause: null, until },
  };
}

const RESET = "2026-11-15T18:48:00Z";

describe("screens", () => {
  const table: { name: string; case: ScreenCase; right: number; alarms?: number }[] = [
    { name: "takes any calm state for work", case: screen({}, "unknown"), right: 1 },
    { name: "does not take a prompt for work", case: screen({}, "needs_input"), right: 0 },
    { name: "takes a retry for an API error", case: screen({ state: "api_error" }, "waiting"), right: 1 },
    {
      name: "takes what the truth allows besides",
      case: screen({ state: "complete", also: ["needs_input"] }, "needs_input"),
      right: 1,
    },
    { name: "counts a screen without verdict as wrong", case: screen({}, null), right: 0 },
    { name: "knows no right answer to an unknown truth", case: screen({ state: "constructor" }, "working"), right: 0 },
    { name: "counts an alarm on a trap", case: screen({ negative: true }, "rate_limited"), right: 0, alarms: 1 },
    {
      name: "does not call a merely wrong answer on a trap an alarm",
      case: screen({ negative: true, state: "thinking" }, "idle"),
      right: 0,
    },
  ];
  for (const row of table) {
    it(row.name, () => {
      expect(scoreScreens([row.case])).toMatchObject({ right: row.right, of: 1, negativeAlarms: row.alarms ?? 0 });
      expect(scoreScreens([row.case]).wrong).toHaveLength(1 - row.right);
    });
  }

  it("leaves out what one frame cannot tell", () => {
    expect(scoreScreens([screen({ singleFrame: false }, "stuck")]).of).toBe(0);
  });

  it("wants reset times right to the minute, where the limit was seen", () => {
    const limited = { state: "rate_limited", until: RESET };
    const figures = scoreScreens([
      screen(limited, "rate_limited", "2026-11-15T18:48:31.000Z"),
      screen(limited, "rate_limited", "2026-11-15T18:49:00.000Z"),
      screen(limited, "rate_limited"),
      screen(limited, "working"),
    ]);
    expect(figures).toMatchObject({ resetsRight: 1, resetsOf: 3 });
    expect(figures.wrongResets.map(({ until }) => until)).toEqual(["2026-11-15T18:49:00.000Z", null]);
  });
});
