import { describe, expect, it } from "vitest";
import { scoreResetTimes } from "./reset-times.js";

const truth = { id: "a", text: "", now: 0, zone: null, until: "2026-11-15T18:48:00Z" };

describe("the score of reset times", () => {
  it.each([
    ["2026-11-15T18:48:00.000Z", 1],
    ["2026-11-15T18:48:31.000Z", 1],
    ["2026-11-15T18:49:00.000Z", 0],
    [null, 0],
  ])("counts %s against 18:48 as right only if the minute is the same", (until, right) => {
    const figures = scoreResetTimes([{ truth, until }]);
    expect(figures).toMatchObject({ right, of: 1 });
    expect(figures.wrong).toEqual(right ? [] : [{ case: "a", expected: truth.until, until }]);
  });
});
