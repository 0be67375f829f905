import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suspicionAfter, suspicionOf } from "./suspicion.js";

describe("suspicionAfter", () => {
  it.each([
    // sources, wanted, base, floor, expected
    [0, 4, 30_000, 2_000, Number.POSITIVE_INFINITY],
    [1, 4, 30_000, 2_000, 30_000],
    [2, 4, 30_000, 2_000, 16_000],
    [3, 4, 30_000, 2_000, 7_810.52],
    [4, 4, 30_000, 2_000, 2_000],
    [9, 4, 30_000, 2_000, 2_000],
    [1, 1, 30_000, 2_000, 2_000],
    [Number.NaN, 4, 30_000, 2_000, Number.POSITIVE_INFINITY],
  ])("%d of %d sources between %d and %d ms wait %d ms", (sources, wanted, base, floor, expected) => {
    expect(suspicionAfter(sources, wanted, base, floor)).toBeCloseTo(expected, 2);
  });

  it("never waits longer with one more source, and never less than the floor", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (sources, wanted) => {
        const one = suspicionAfter(sources, wanted, 300_000, 60_000);
        const more = suspicionAfter(sources + 1, wanted, 300_000, 60_000);
        expect(more).toBeLessThanOrEqual(one);
        expect(more).toBeGreaterThanOrEqual(60_000);
      }),
    );
  });
});

describe("suspicion", () => {
  it.each([
    [-5, 100, 0],
    [0, 100, 0],
    [25, 100, 0.25],
    [100, 100, 1],
    [900, 100, 1],
    [1, 0, 1],
    [1, Number.POSITIVE_INFINITY, 0],
    [Number.NaN, 100, 0],
  ])("after %d of %d ms is %d", (elapsed, threshold, expected) => {
    expect(suspicionOf(elapsed, threshold)).toBe(expected);
  });
});
