import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Defaults, settingOf } from "../defaults.js";
import { adaptedSettings } from "./learn.js";
import { PROBLEMS } from "./problem.js";

const count = (falseAlarms: number, right = 0) => [
  { agent: "a", problem: "silent_stream" as const, falseAlarms, right },
];

describe("feedback on alarms", () => {
  it("raises the thresholds of that agent and problem by half each time, up to four times", () => {
    expect(adaptedSettings({}, count(1), "a")).toEqual({ silence_patience: 1.5 });
    expect(adaptedSettings({}, count(9), "a")).toEqual({ silence_patience: 4 });
    expect(adaptedSettings({ silence_patience: 2 }, count(1), "a")).toEqual({ silence_patience: 3 });
    expect(adaptedSettings({}, count(9), "b")).toEqual({});
  });

  it("is undone by correct alarms, and never goes below the user's setting", () => {
    expect(adaptedSettings({}, count(2, 1), "a")).toEqual({ silence_patience: 1.5 });
    expect(adaptedSettings({}, count(0, 7), "a")).toEqual({ silence_patience: 1 });
    fc.assert(
      fc.property(fc.constantFrom(...PROBLEMS), fc.nat(50), fc.nat(50), (problem, falseAlarms, right) => {
        const adapted = adaptedSettings({}, [{ agent: "a", problem, falseAlarms, right }], "a");
        for (const key of Object.keys(adapted) as (keyof Defaults)[]) {
          const own = settingOf(undefined, key);
          expect(adapted[key]).toBeGreaterThanOrEqual(own);
          expect(adapted[key]).toBeLessThanOrEqual(4 * own);
        }
      }),
    );
  });
});
