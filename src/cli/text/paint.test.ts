import { describe, expect, it } from "vitest";
import { STATES } from "../../core/states.js";
import { isColoured, paint, paintState } from "./paint.js";

describe("colours", () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: false }, {}, false],
    [{ isTTY: true }, { NO_COLOR: "1" }, false],
    [{ isTTY: true }, { NO_COLOR: "" }, true],
    [{ isTTY: false }, { FORCE_COLOR: "1" }, true],
    [{ isTTY: true }, { FORCE_COLOR: "0" }, false],
  ])("of %j with %j are on: %s", (stream, env, on) => {
    expect(isColoured(stream, env)).toBe(on);
  });

  it("are left out when they are off, for every state", () => {
    expect(paint("text", "red", false)).toBe("text");
    for (const state of STATES) {
      expect(paintState(state, 14, false)).toBe(state.padEnd(14));
      expect(paintState(state, 0, true)).toContain("\u001b[");
    }
  });
});
