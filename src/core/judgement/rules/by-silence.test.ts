import { expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const busy = (reply: string, moving: boolean) => screen({ busy: true, moving, composer: "hidden", reply });
const isStandingStill = (steps: readonly Step[]): boolean =>
  walk(steps).reasons.some((reason) => reason.includes("Shows as busy and always has"));

it("a busy mark of an unknown program that never disappeared proves nothing once the screen has been still for 20 s", () => {
  const shown = { at: 0, signal: busy("r", false) };
  expect(isStandingStill([shown, { at: 19.9, expect: "working" }])).toBe(false);
  expect(isStandingStill([shown, { at: 20, expect: "working" }])).toBe(true);
});

it("a busy mark of an unknown program counts if the screen has been seen without it", () => {
  const rested = { at: 0, signal: screen({ busy: false }) };
  const shown = { at: 5, signal: busy("r", false) };
  expect(isStandingStill([rested, shown, { at: 60, expect: "working" }])).toBe(false);
});

it("a busy mark of an unknown program counts while it moves", () => {
  expect(
    isStandingStill([
      { at: 0, signal: busy("r", true) },
      { at: 60, expect: "working" },
    ]),
  ).toBe(false);
});
