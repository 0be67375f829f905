import { expect, it } from "vitest";
import { START, type Step, screen, walk } from "../../../../test/support/steps.js";

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

const PROFILE = { retriesSilently: false, versions: { from: "1", to: "1" } };

it("a silence in which the agent waited for a CPU takes longer to be a stall, and the reason says so", () => {
  const shown = { at: 0, signal: screen({ busy: true, moving: true, composer: "hidden", reply: "r", replying: true }) };
  const starved = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((at): Step => {
    const [from, to] = [START + (at - 10) * 1000, START + at * 1000];
    return { at, signal: { kind: "gap", source: "process", from, to, lostMs: 6000 } };
  });
  const healthy = walk([shown, { at: 115, expect: "stuck/silent_stream" }], PROFILE);
  const held = walk([shown, ...starved, { at: 115, expect: "working" }, { at: 160, expect: "working" }], PROFILE);
  const late = walk([shown, ...starved, { at: 175, expect: "stuck/silent_stream" }], PROFILE);
  for (const { said, expected } of [healthy, held, late]) expect(said).toEqual(expected);
  expect(healthy.reasons.join()).not.toContain("CPU");
  expect(held.reasons.at(-1)).toBe(
    "Waited 36 s of the last 2 min for a CPU (process), which does not count as silence",
  );
});
