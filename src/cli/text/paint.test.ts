import { describe, expect, it } from "vitest";
import { STATES } from "../../core/states.js";
import { canDraw, isColoured, paintState, paintText } from "./paint.js";

describe("colours", () => {
  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: false }, {}, false],
    [{ isTTY: true }, { NO_COLOR: "1" }, false],
    [{ isTTY: true }, { NO_COLOR: "" }, true],
    [{ isTTY: false }, { FORCE_COLOR: "1" }, true],
    [{ isTTY: true }, { FORCE_COLOR: "0" }, false],
    [{ isTTY: true }, { TERM: "dumb" }, false],
    [{ isTTY: true }, { TERM: "dumb", FORCE_COLOR: "1" }, true],
  ])("of %j with %j are on: %s", (stream, env, on) => {
    expect(isColoured(stream, env)).toBe(on);
  });

  it.each([
    [{ isTTY: true }, { TERM: "xterm" }, true],
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { TERM: "dumb" }, false],
    [{ isTTY: false }, { TERM: "xterm" }, false],
    [{}, {}, false],
  ])("and a redrawn screen on %j with %j are possible: %s", (stream, env, can) => {
    expect(canDraw(stream, env)).toBe(can);
  });

  it("are omitted for every state if they are off", () => {
    expect(paintText("text", "red", false)).toBe("text");
    for (const state of STATES) {
      expect(paintState(state, 14, false)).toBe(state.padEnd(14));
      expect(paintState(state, 0, true)).toContain("\u001b[");
    }
  });
});
