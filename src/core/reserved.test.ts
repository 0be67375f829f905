import { describe, expect, it } from "vitest";
import { checkAgentLimits } from "./agent-limits.js";
import { isReservedName, isReservedType } from "./reserved.js";

describe("rouse's own name", () => {
  it.each(["rouse", "Rouse", "ROUSE", " rouse ", "rouse\u0007", "\u200brouse"])("is reserved as %j", (name) => {
    expect(isReservedName(name)).toBe(true);
    expect(checkAgentLimits({ name })).toContain("reserved for rouse itself");
  });

  it.each(["rouse-2", "arouse", "web", ""])("leaves %j free", (name) => {
    expect(isReservedName(name)).toBe(false);
  });
});

describe("rouse's own message types", () => {
  it.each([
    ["worker.stuck", true],
    ["worker.anything", true],
    ["watchdog.blind", true],
    ["worker", false],
    ["note", false],
    ["team.worker.stuck", false],
  ])("%s: %s", (type, isReserved) => {
    expect(isReservedType(type)).toBe(isReserved);
  });
});
