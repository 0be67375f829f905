import { describe, expect, it } from "vitest";
import { recordTime, SkipCounter } from "./record-reader.js";

describe("recordTime", () => {
  it.each<[unknown, string | null]>([
    [{ timestamp: "2030-01-02T03:04:05.678Z" }, "2030-01-02T03:04:05.678Z"],
    [{ timestamp: "2030-01-02T03:04:05+02:00" }, "2030-01-02T01:04:05.000Z"],
    [{ timestamp: "2030-01-02T03:04:05" }, "2030-01-02T03:04:05.000Z"],
    [{ timestamp: 1_893_553_445 }, "2030-01-02T03:04:05.000Z"],
    [{ timestamp: 1_893_553_445_000 }, "2030-01-02T03:04:05.000Z"],
    [{ ts: 1_893_553_445 }, "2030-01-02T03:04:05.000Z"],
    [{ timestamp: "yesterday" }, null],
    [{ timestamp: "2030-99-99T99:99:99Z" }, null],
    [{ timestamp: 12 }, null],
    [{ timestamp: null }, null],
    [{}, null],
    ["2030-01-02T03:04:05Z", null],
    [null, null],
  ])("reads %j as %s", (record, expected) => {
    const time = recordTime(record);
    expect(time === null ? null : new Date(time).toISOString()).toBe(expected);
  });
});

describe("SkipCounter", () => {
  it("stays bounded for any number of names", () => {
    const counter = new SkipCounter();
    for (let i = 0; i < 1000; i++) counter.count(`kind-${i}`);
    counter.count("x".repeat(10_000));
    expect(counter.size).toBeLessThanOrEqual(65);
    expect([...counter.keys()].every((name) => name.length <= 64)).toBe(true);
    expect([...counter.values()].reduce((sum, n) => sum + n, 0)).toBe(1001);
  });
});
