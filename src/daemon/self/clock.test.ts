import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock, MODELS } from "../../../test/support/hand-clock.js";
import { DaemonClock, gapBetween } from "./clock.js";

const START = Date.parse("2026-03-02T09:00:00Z");

describe("Clock", () => {
  it("follows the wall clock", () => {
    const hand = new HandClock(START);
    expect(hand.clock.now()).toBe(START);
    hand.pass(1234);
    expect(hand.clock.now()).toBe(START + 1234);
    hand.set(3_600_000);
    expect(hand.clock.now()).toBe(START + 3_601_234);
  });

  it("continues at its own pace when the wall clock is set back", () => {
    const hand = new HandClock(START);
    hand.set(-3_600_000);
    expect(hand.clock.now()).toBe(START);
    hand.pass(500);
    expect(hand.clock.now()).toBe(START + 500);
    hand.pass(3_600_000);
    expect(hand.clock.now()).toBe(START + 3_600_500);
  });

  it("shows a suspend that a wall clock set back would hide", () => {
    const hand = new HandClock(START, "linux");
    expect(hand.clock.check.now).toBe(START);
    hand.set(-95_000);
    hand.sleep(110_000);
    expect(hand.clock.check.now).toBe(START + 109_000);
    expect(hand.clock.timed(START - 95_000)).toBe(START - 1000);
  });

  it("shows a suspend that both other clocks hide, a tenth of a second later", () => {
    const hand = new HandClock(START, "linux");
    expect(hand.clock.check.now).toBe(START);
    hand.set(-110_000);
    hand.sleep(110_000);
    hand.pass(99);
    expect(hand.clock.check.now).toBe(START + 99);
    hand.pass(1);
    expect(hand.clock.check.now).toBe(START + 109_100);
  });

  it("continues from the time of the previous daemon when the wall clock was set back in between", () => {
    const hand = new HandClock(START);
    hand.set(-600_000);
    const clock = hand.again();
    clock.reach(START);
    expect([clock.now(), clock.ahead]).toEqual([START, 600_000]);
    hand.pass(1000);
    expect([clock.now(), clock.ahead]).toEqual([START + 1000, 600_000]);
    clock.reach(START);
    expect(clock.now()).toBe(START + 1000);
  });

  it.each(MODELS)(
    "continues through the time between two daemons, however the wall clock is set meanwhile (%s)",
    (model) => {
      const step = fc.oneof(
        fc.record({ pass: fc.integer({ min: 0, max: 7_200_000 }) }),
        fc.record({ sleep: fc.integer({ min: 0, max: 7_200_000 }) }),
        fc.record({ set: fc.integer({ min: -7_200_000, max: 7_200_000 }) }),
      );
      fc.assert(
        fc.property(fc.array(step, { maxLength: 6 }), fc.array(step, { maxLength: 6 }), (before, between) => {
          const hand = new HandClock(START, model);
          const go = (steps: readonly Partial<Record<"pass" | "sleep" | "set", number>>[]): number => {
            for (const { pass, sleep, set } of steps) {
              if (pass) hand.pass(pass);
              if (sleep) hand.sleep(sleep);
              if (set) hand.set(set);
              hand.clock.now();
            }
            return steps.reduce((sum, { pass, sleep }) => sum + (pass ?? 0) + (sleep ?? 0), 0);
          };
          go(before);
          const { clock } = hand;
          const { moment } = clock;
          const passed = go(between);
          const next = hand.again();
          next.resume(moment);
          expect(next.now()).toBe(Math.max(moment.now + passed, hand.wall));
          expect(next.unwatchedFrom(moment.now, moment)).toBeLessThanOrEqual(moment.now);
        }),
      );
    },
  );

  it("follows the wall clock if the uptime was not stored or belongs to another boot", () => {
    const hand = new HandClock(START);
    const { moment } = hand.clock;
    hand.set(-600_000);
    hand.reboot();
    hand.pass(200_000);
    for (const uptime of [moment.uptime, null]) {
      const clock = hand.again();
      clock.resume({ ...moment, uptime });
      expect(clock.now()).toBe(START - 400_000);
    }
  });

  it.each(MODELS)("detects a sleep on %s", (model) => {
    const hand = new HandClock(START, model);
    hand.sleep(600_000);
    expect(hand.clock.now()).toBe(START + 600_000);
  });

  it("never goes back and never falls behind the wall clock, whatever the two clocks do", () => {
    const reading = fc.record({ wall: fc.integer({ min: 0, max: 2e12 }), monotonic: fc.integer({ min: 0, max: 1e9 }) });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 2, maxLength: 30 }), (readings) => {
        let place = 0;
        const clock = new DaemonClock(() => readings[place] as (typeof readings)[number]);
        let before = 0;
        for (place = 0; place < readings.length; place++) {
          const now = clock.now();
          expect(now).toBeGreaterThanOrEqual(Math.max(before, readings[place]?.wall ?? 0));
          before = now;
        }
      }),
    );
  });

  it("asks the system by default", () => {
    const before = Date.now();
    expect(new DaemonClock().now()).toBeGreaterThanOrEqual(before);
  });
});

describe("gapBetween", () => {
  const check = (ms: number, wall = ms) => ({ now: START + ms, wall: START + wall });

  it("is null while ticks arrive about as scheduled", () => {
    expect(gapBetween(check(0), check(1000), 1000)).toBeNull();
    expect(gapBetween(check(0), check(16_000), 1000)).toBeNull();
  });

  it("is the whole time since the last tick if a tick is much too late", () => {
    expect(gapBetween(check(0), check(16_001), 1000)).toEqual({ from: START, to: START + 16_001 });
  });

  it("is longer by the amount that the wall clock caught up, because earlier timestamps look older by that", () => {
    expect(gapBetween(check(0, -600_000), check(1000, -584_000), 1000)).toBeNull();
    const gap = gapBetween(check(0, -600_000), check(1000, -400_000), 1000);
    expect(gap).toEqual({ from: START - 199_000, to: START + 1000 });
    expect(gapBetween(check(0), check(1000, -600_000), 1000)).toBeNull();
  });
});
