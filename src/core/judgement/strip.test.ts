import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../text/time.js";
import { addTime, SLOT_MS, SLOTS_MAX, type Strip, stripStates } from "./strip.js";

const START = 1_800_000_000_000 - (1_800_000_000_000 % (24 * HOUR));

describe("the strip of a session", () => {
  it("shows a problem that lasted a minute before the longer work around it, and no shorter one", () => {
    const strip: Strip = [];
    addTime(strip, "working", START, START + 10 * MINUTE, []);
    addTime(strip, "stuck", START + 10 * MINUTE, START + 11 * MINUTE, []);
    addTime(strip, "working", START + SLOT_MS, START + SLOT_MS + 10 * MINUTE, []);
    addTime(strip, "stuck", START + SLOT_MS + 10 * MINUTE, START + SLOT_MS + 10.5 * MINUTE, []);
    expect(stripStates([strip], START + SLOT_MS, 1).slice(-2)).toEqual(["stuck", "working"]);
  });

  it("leaves slots empty in which the machine slept", () => {
    const strip: Strip = [];
    addTime(strip, "working", START, START + 3 * SLOT_MS - 1, [{ from: START + SLOT_MS, to: START + 2 * SLOT_MS }]);
    expect(stripStates([strip], START + 3 * SLOT_MS - 1, 1).slice(-4)).toEqual([null, "working", null, "working"]);
  });

  it("joins the sessions of one agent", () => {
    const [first, second]: [Strip, Strip] = [[], []];
    addTime(first, "working", START, START + SLOT_MS, []);
    addTime(second, "idle", START + SLOT_MS, START + 2 * SLOT_MS - 1, []);
    expect(stripStates([first, second], START + 2 * SLOT_MS - 1, 1).slice(-2)).toEqual(["working", "idle"]);
  });

  it("keeps one day, whatever the times of the assessments are, and has one state per piece", () => {
    const spans = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 40 * HOUR }), fc.constantFrom("working", "idle", "stuck")),
    );
    fc.assert(
      fc.property(spans, fc.constantFrom(1, 2, 4), (steps, perPiece) => {
        const strip: Strip = [];
        let at = START;
        for (const [ms, state] of steps) {
          addTime(strip, state as "working", at, at + ms, []);
          at += ms;
        }
        expect(strip.length).toBeLessThanOrEqual(SLOTS_MAX);
        const states = stripStates([strip], at, perPiece);
        expect(states).toHaveLength(SLOTS_MAX / perPiece);
        const kept = strip.flatMap(({ ms }) => Object.values(ms)).reduce((sum, ms) => sum + ms, 0);
        expect(kept).toBe(Math.min(at - START, kept));
        if (at - START <= 20 * HOUR) expect(kept).toBe(at - START);
      }),
    );
  });
});
