import { describe, expect, it } from "vitest";
import { clockTime, formatDistance, resetText } from "./when.js";

const at = (iso: string): number => Date.parse(iso);
const NOW = at("2026-11-15T00:56:00Z");

describe("the distance to a moment", () => {
  it.each([
    [0, "0 s"],
    [-5, "0 s"],
    [89_000, "89 s"],
    [100_000, "2 min"],
    [59.6 * 60_000, "1 h"],
    [134 * 60_000, "2 h 14 min"],
    [47 * 3_600_000, "47 h"],
    [48 * 3_600_000, "2 d"],
    [76 * 3_600_000, "3 d 4 h"],
  ])("of %d ms is %s", (ms, text) => {
    expect(formatDistance(ms)).toBe(text);
  });
});

describe("when a limit ends", () => {
  it.each([
    ["2026-11-15T03:10:00Z", "UTC", "limit resets at 03:10 (in 2 h 14 min)"],
    ["2026-11-15T03:10:00Z", "Europe/Berlin", "limit resets at 04:10 (in 2 h 14 min)"],
    ["2026-11-16T03:10:00Z", "UTC", "limit resets tomorrow 03:10 (in 26 h 14 min)"],
    ["2026-11-15T23:30:00Z", "Asia/Tokyo", "limit resets tomorrow 08:30 (in 22 h 34 min)"],
    ["2026-11-19T03:10:00Z", "UTC", "limit resets Thu 03:10 (in 4 d 2 h)"],
    ["2026-11-25T03:10:00Z", "UTC", "limit resets 2026-11-25 03:10 (in 10 d 2 h)"],
    ["2026-11-15T00:52:00Z", "UTC", "limit reset at 00:52 (4 min ago)"],
    ["2026-11-14T23:52:00Z", "UTC", "limit reset yesterday 23:52 (1 h 4 min ago)"],
    ["2026-11-10T23:52:00Z", "UTC", "limit reset 2026-11-10 23:52 (4 d 1 h ago)"],
  ])("at %s in %s it says: %s", (until, zone, text) => {
    expect(resetText(at(until), NOW, zone)).toBe(text);
  });

  it("names the day by the calendar when the clock changes", () => {
    // 25 October 2026 has 25 hours in Berlin.
    expect(clockTime(at("2026-10-25T22:30:00Z"), at("2026-10-24T22:10:00Z"), "Europe/Berlin")).toBe("23:30");
    expect(clockTime(at("2026-10-25T23:30:00Z"), at("2026-10-24T22:10:00Z"), "Europe/Berlin")).toBe("tomorrow 00:30");
  });
});
