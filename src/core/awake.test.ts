import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SleepSpans } from "./awake.js";
import { awakeMs, starvedMs, takeAsleep } from "./awake.js";

const gap = (from: number, to: number) => ({ kind: "gap", at: to, source: "observer", from, to }) as const;

function asleepAfter(...spans: [number, number][]): SleepSpans {
  const asleep: SleepSpans = [];
  for (const [from, to] of spans) takeAsleep(asleep, gap(from, to));
  return asleep;
}

describe("awake time", () => {
  it("does not count the grace time after a gap, before and after it has passed", () => {
    const asleep: SleepSpans = [];
    takeAsleep(asleep, { ...gap(100, 200), graceMs: 60 });
    expect([50, 210, 260, 300].map((to) => awakeMs(asleep, 0, to))).toEqual([50, 100, 100, 140]);
  });

  it.each([
    ["no gap", [], 0, 100, 100],
    ["a gap inside", [[20, 50]], 0, 100, 70],
    ["a gap that started before", [[-50, 10]], 0, 100, 90],
    ["a gap that continues", [[90, 200]], 0, 100, 90],
    ["a gap elsewhere", [[200, 300]], 0, 100, 100],
    [
      "a gap that is reported twice",
      [
        [20, 50],
        [20, 50],
      ],
      0,
      100,
      70,
    ],
    [
      "overlapping gaps",
      [
        [20, 50],
        [40, 60],
        [10, 25],
      ],
      0,
      100,
      50,
    ],
    ["a gap that ends before it starts", [[50, 20]], 0, 100, 100],
    ["an end before the start", [], 100, 0, 0],
  ] as [string, [number, number][], number, number, number][])("leaves out %s", (_, spans, from, to, expected) => {
    expect(awakeMs(asleepAfter(...spans), from, to)).toBe(expected);
  });

  it("counts only the part of a span in which the agent got a CPU, and joins the spans of one shortage", () => {
    const asleep: SleepSpans = [];
    for (let from = 0; from < 1000; from += 10) takeAsleep(asleep, { ...gap(from, from + 10), lostMs: 6 });
    expect(asleep).toEqual([{ from: 0, to: 1000, lostMs: 600 }]);
    expect([awakeMs(asleep, 0, 1000), awakeMs(asleep, 500, 1100), starvedMs(asleep, 900, 2000)]).toEqual([
      400, 300, 60,
    ]);
  });

  it("does not turn the time between two shortages into sleep, however many there are", () => {
    const asleep: SleepSpans = [];
    for (let from = 0; from < 4000; from += 100) takeAsleep(asleep, { ...gap(from, from + 10), lostMs: 6 });
    expect(asleep.length).toBeLessThanOrEqual(16);
    expect(awakeMs(asleep, 0, 4000)).toBe(4000 - 40 * 6);
  });

  it("calls sleep no lack of CPU", () => {
    expect(starvedMs(asleepAfter([20, 50]), 0, 100)).toBe(0);
  });

  it("keeps a bounded number of spans for any number of gaps, and never overstates awake time", () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 50 }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 80 }), (spans) => {
        const asleep = asleepAfter(...spans.map(([from, length]) => [from, from + length] as [number, number]));
        const awake = new Set(Array.from({ length: 1100 }, (_, ms) => ms));
        for (const [from, length] of spans) for (let ms = from; ms < from + length; ms++) awake.delete(ms);
        expect(asleep.length).toBeLessThanOrEqual(16);
        expect(awakeMs(asleep, 0, 1100)).toBeLessThanOrEqual(awake.size);
        if (spans.length <= 16) expect(awakeMs(asleep, 0, 1100)).toBe(awake.size);
      }),
    );
  });
});
