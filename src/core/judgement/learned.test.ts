import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WorkKey } from "./learned.js";
import { createLearned, habitsOf, learnedThreshold, learnGap, takeHabits } from "./learned.js";

const BOUNDS = { priorMs: 10_000, floorMs: 5_000, ceilingMs: 600_000 };
const KEY: WorkKey = { class: "shell", head: "npm test" };

function taught(samples: number[], key: WorkKey = KEY) {
  const state = createLearned();
  for (const ms of samples) learnGap(state, key, ms);
  return state;
}

describe("learned thresholds", () => {
  it.each([
    ["the prior below twenty samples", Array(19).fill(8_192), { ms: 10_000, pool: "prior", samples: 0 }],
    ["eight times the own p95 from twenty on", Array(20).fill(8_192), { ms: 65_536, pool: "command", samples: 20 }],
    ["the prior if it is longer", Array(20).fill(64), { ms: 10_000, pool: "command", samples: 20 }],
    ["the ceiling at most", Array(20).fill(1_000_000), { ms: 600_000, pool: "command", samples: 20 }],
    [
      "p95, so that one odd gap in twenty decides nothing",
      [...Array(19).fill(8_192), 500_000],
      { ms: 65_536, pool: "command", samples: 20 },
    ],
  ])("are %s", (_, samples, expected) => {
    expect(learnedThreshold(taught(samples), KEY, BOUNDS)).toEqual(expected);
  });

  it("fall back to the tool class for a new command", () => {
    const state = taught(Array(20).fill(8_192));
    expect(learnedThreshold(state, { ...KEY, head: "make" }, BOUNDS)).toEqual({
      ms: 65_536,
      pool: "class",
      samples: 20,
    });
    expect(learnedThreshold(state, { ...KEY, class: "web" }, BOUNDS).pool).toBe("prior");
  });

  it("ignore a gap that caused an alarm, spanned sleep or is not a valid time", () => {
    const state = createLearned();
    for (let i = 0; i < 50; i++) {
      learnGap(state, KEY, 8_192, { alarmed: true });
      learnGap(state, KEY, 8_192, { asleep: true });
      learnGap(state, KEY, Number.NaN);
      learnGap(state, KEY, -1);
    }
    expect(state.size).toBe(0);
  });

  it("are never below the floor nor above the ceiling, and at most 19 % above the exact quantile", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 8, max: 50_000_000 }), { minLength: 20, maxLength: 200 }), (samples) => {
        const bounds = { priorMs: 1, floorMs: 1, ceilingMs: 1e12 };
        const { ms } = learnedThreshold(taught(samples), KEY, bounds);
        const exact = [...samples].sort((a, b) => a - b)[Math.ceil(0.95 * samples.length) - 1] ?? 0;
        expect(ms).toBeGreaterThanOrEqual(8 * exact * 0.999_999);
        expect(ms).toBeLessThanOrEqual(8 * exact * 1.1893);
      }),
    );
  });

  it("adapt to a change of habit", () => {
    const state = taught(Array(5_000).fill(100_000));
    for (let i = 0; i < 25_000; i++) learnGap(state, KEY, 1_024);
    expect(learnedThreshold(state, KEY, BOUNDS).ms).toBe(10_000);
  });

  it("are the same in the next session, which receives the newest 64 pools", () => {
    const state = taught(Array(20).fill(8_192));
    const next = createLearned();
    takeHabits(next, habitsOf(state));
    expect(next).toEqual(state);
    for (let i = 0; i < 200; i++) learnGap(state, { ...KEY, head: `make ${i}` }, 1_000);
    const reported = habitsOf(state);
    expect(reported).toHaveLength(64);
    expect(reported.at(-1)).toEqual({ class: "shell", head: "make 199", gaps: [[28, 1]] });
  });

  it("drop the least recently used pools", () => {
    const state = taught(Array(20).fill(8_192));
    for (let i = 0; i < 2_000; i++) learnGap(state, { ...KEY, head: `make ${i}` }, 1_000);
    expect(state.size).toBe(256);
    expect(learnedThreshold(state, KEY, BOUNDS).pool).toBe("class");
  });
});
