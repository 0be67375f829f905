import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { SECOND } from "../../text/time.js";
import { createLoop, loopVerdict, takeLoop } from "./loop.js";

const screen = (at: number, times: number, text = "node test.mjs"): Signal => ({
  kind: "screen",
  at,
  source: "screen",
  reading: {
    reply: "",
    lastLine: "",
    busy: true,
    moving: true,
    composer: "empty",
    ...(times > 0 && { repeats: { digest: text, times, rows: 3, text } }),
  },
});
const every = (ms: number, ...times: number[]): Signal[] => times.map((n, i) => screen(i * ms, n));
const judged = (...signals: Signal[]) => {
  const loop = createLoop();
  for (const signal of signals) takeLoop(loop, signal);
  return loopVerdict(loop, signals.at(-1)?.at ?? 0);
};
const file: Signal = { kind: "file", at: 9 * SECOND, source: "workspace", path: "a.ts", digest: "1" };

describe("a screen that repeats the same rows", () => {
  it("is a loop at the fourth repetition, by the screen alone", () => {
    expect(judged(...every(3 * SECOND, 2, 3))).toBeNull();
    expect(judged(...every(3 * SECOND, 2, 3, 4))).toMatchObject({
      cause: "loop",
      rounds: 4,
      kind: "screen",
      reason: "The screen shows the same 3 rows 4 times in 6 s (screen), one below the other: node test.mjs",
    });
  });

  it("is still a loop when some rows scrolled off, and no longer when other content is visible", () => {
    expect(judged(...every(3 * SECOND, 4, 3))?.rounds).toBe(4);
    expect(judged(...every(3 * SECOND, 4, 0))).toBeNull();
    expect(judged(...every(3 * SECOND, 4, 0, 3))).toBeNull();
  });

  it("is not a loop if the repetitions are far apart", () => {
    expect(judged(...every(55 * SECOND, 2, 3, 4, 5))).toBeNull();
  });

  it("is not a loop if the workspace changed in between", () => {
    expect(judged(...every(3 * SECOND, 2, 3), file, screen(12 * SECOND, 4))).toBeNull();
    expect(judged(...every(3 * SECOND, 2, 3), file, screen(12 * SECOND, 7))?.rounds).toBe(7);
  });

  it("is not used if a record shows the calls", () => {
    const call: Signal = {
      kind: "tool_start",
      at: 0,
      source: "transcript",
      id: "1",
      tool: "Bash",
      class: "shell",
      call: "a",
    };
    expect(judged(call, ...every(3 * SECOND, 4, 5, 6))).toBeNull();
  });
});
