import { describe, expect, it } from "vitest";
import { parseDuration, parseSince } from "./since.js";

const NOW = new Date(2026, 2, 2, 9, 30).getTime();

describe("parseSince", () => {
  it.each([
    ["90s", NOW - 90_000],
    ["8h", NOW - 8 * 3_600_000],
    ["1.5d", NOW - 36 * 3_600_000],
    ["09:00", new Date(2026, 2, 2, 9, 0).getTime()],
    ["9:30", NOW],
    ["22:00", new Date(2026, 2, 1, 22, 0).getTime()],
    ["2026-03-01T12:00:00Z", Date.parse("2026-03-01T12:00:00Z")],
    ["2026-03-01", Date.parse("2026-03-01")],
  ])("reads %s", (value, at) => {
    expect(parseSince(value, NOW)).toBe(at);
  });

  it.each(["", "8", "h", "-8h", "24:00", "10:60", "yesterday", "2026-13-01", "2099-01-01", "0h", "1e9h"])(
    "refuses %j with the rule",
    (value) => {
      expect(() => parseSince(value, NOW)).toThrow(/It (must be|is in the future)/);
    },
  );
});

describe("parseDuration", () => {
  it("reads minutes", () => {
    expect(parseDuration("10m")).toBe(600_000);
  });
});
