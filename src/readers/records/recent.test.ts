import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent.js";

describe("Recent", () => {
  it("drops the oldest entry, and counts a changed one as new", () => {
    const recent = new RecentMap<number>(2);
    recent.set("a", 1);
    recent.set("b", 2);
    recent.set("a", 3);
    recent.set("c", 4);
    expect([recent.get("a"), recent.get("b"), recent.get("c")]).toEqual([3, undefined, 4]);
  });

  it("reports a value as new once", () => {
    const recent = new RecentMap<string>();
    expect([recent.changes("a", "x"), recent.changes("a", "x"), recent.changes("a", "y")]).toEqual([true, false, true]);
  });

  it("keeps the newest entries", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (keys) => {
        const recent = new RecentMap<number>(4);
        for (const [i, key] of keys.entries()) recent.set(key, i);
        for (const key of new Set(keys.slice(-4))) expect(recent.get(key)).toBe(keys.lastIndexOf(key));
      }),
    );
  });
});
