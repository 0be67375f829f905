import { describe, expect, it } from "vitest";
import { TOOL_CLASSES } from "../signal.js";
import { ACT_AFTER_MS, APPROVAL_AFTER_MS, FREEZE, TOOL_CLOCKS, WAIT_NAMED_AFTER_MS } from "./clocks.js";

describe("the clocks", () => {
  it("give every tool class a ceiling, except those that wait for a human", () => {
    for (const name of TOOL_CLASSES) {
      const isHuman = name === "question" || name === "plan";
      expect(Number.isFinite(TOOL_CLOCKS[name].reportMs), name).toBe(!isHuman);
    }
  });

  it("show a wait before they report it", () => {
    for (const name of TOOL_CLASSES) expect(TOOL_CLOCKS[name].reportMs).toBeGreaterThan(WAIT_NAMED_AFTER_MS);
    expect(APPROVAL_AFTER_MS).toBeGreaterThan(WAIT_NAMED_AFTER_MS);
  });

  it("shrink with more sources, never below the floor, and tolerate a first byte after 75 s", () => {
    for (const { baseMs, floorMs, wanted } of Object.values(FREEZE)) {
      expect(floorMs).toBeLessThan(baseMs);
      expect(wanted).toBeGreaterThan(1);
      expect(floorMs).toBeGreaterThan(80_000);
    }
  });

  it("permit action on a silent stream only after the programs' own time-out of 300 s", () => {
    expect(ACT_AFTER_MS).toBeGreaterThan(300_000);
  });
});
