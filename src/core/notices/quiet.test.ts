import { describe, expect, it } from "vitest";
import { MINUTE } from "../text/time.js";
import { quietUntil } from "./quiet.js";

const DAY = 24 * 60;
const minuteOfDay = (at: number): number => Math.floor(at / MINUTE) % DAY;
const night = { from: 22 * 60, to: 7 * 60, passes: null, minuteOfDay } as const;
const at = (hour: number, minute = 0): number => (hour * 60 + minute) * MINUTE;

describe("quiet hours", () => {
  it("hold an alert until they end, over midnight too", () => {
    expect(quietUntil(night, "warning", at(21, 59))).toBe(at(21, 59));
    expect(quietUntil(night, "warning", at(22))).toBe(at(24 + 7));
    expect(quietUntil(night, "warning", at(6, 59) + 30_000)).toBe(at(7));
    expect(quietUntil(night, "warning", at(7))).toBe(at(7));
  });

  it("within one day hold an alert from their first minute to their last", () => {
    const noon = { ...night, from: 12 * 60, to: 13 * 60 };
    expect(quietUntil(noon, "warning", at(12))).toBe(at(13));
    expect(quietUntil(noon, "warning", at(13))).toBe(at(13));
    expect(quietUntil(noon, "warning", at(11, 59))).toBe(at(11, 59));
  });

  it("let an alert of the given severity pass", () => {
    const passes = { ...night, passes: "critical" } as const;
    expect(quietUntil(passes, "critical", at(23))).toBe(at(23));
    expect(quietUntil(passes, "warning", at(23))).toBe(at(31));
  });

  it("do not exist if they begin and end at the same minute", () => {
    expect(quietUntil({ ...night, to: night.from }, "warning", at(22))).toBe(at(22));
    expect(quietUntil(null, "warning", at(23))).toBe(at(23));
  });
});
