import { describe, expect, it } from "vitest";
import { TOOL_CLASSES } from "../signal.js";
import { ACT_AFTER_MS, APPROVAL_AFTER_MS, FREEZE, TOOL_CLOCKS, WAIT_NAMED_AFTER_MS } from "./clocks.js";

describe("the clocks", () => {
  it("give every class of tool a ceiling, but for those that wait for a human", () => {
    for (const name of TOOL_CLASSES) {
      const isHuman = name === "question" || name === "plan";
      expect(Number.isFinite(TOOL_CLOCKS[name].reportMs), name).toBe(!isHuman);
    }
  });

  it("name a wait before they tell of it", () => {
    for (const name of TOOL_CLASSES) expect(TOOL_CLOCKS[name].reportMs).toBeGreaterThan(WAIT_NAMED_AFTER_MS);
    expect(APPROVAL_AFTER_MS).toBeGreaterThan(WAIT_NAMED_AFTER_MS);
  });

  it("shrink with witnesses, never below the floor, and leave a slow first byte of 75 s alone", () => {
    for (const { baseMs, floorMs, wanted } of Object.values(FREEZE)) {
      expect(floorMs).toBeLessThan(baseMs);
      expect(wanted).toBeGreaterThan(1);
      expect(floorMs).toBeGreaterThan(80_000);
    }
  });

  it("act on a silent stream after the programs' own time-out of 300 s", () => {
    expect(ACT_AFTER_MS).toBeGreaterThan(300_000);
  });
});
