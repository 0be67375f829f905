import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const asked = { kind: "input", source: "human", by: "human", bytes: 2, submits: true } as const;
const prompt = screen({ busy: false });
const says = (reply: string, moving: boolean) =>
  screen({ busy: false, reply, moving, replying: true, closing: "result" });

const PROMISES: Record<string, Step[]> = {
  "of a program whose mark nobody knows is its motion, after a human asked": [
    { at: 0, signal: prompt, expect: "idle" },
    { at: 5, signal: asked },
    { at: 6, signal: says("a", true), expect: "working" },
    { at: 7, signal: says("ab", true), expect: "working" },
    { at: 9, signal: says("ab", false), expect: "working" },
    { at: 15, expect: "working" },
    { at: 20, expect: "complete" },
  ],
  "is over soon after a spinner stopped that turned while nothing was said": [
    { at: 0, signal: prompt },
    { at: 5, signal: asked },
    { at: 6, signal: says("a", true), expect: "working" },
    { at: 16, signal: says("ab", true), expect: "working" },
    { at: 19, signal: says("ab", false), expect: "working" },
    { at: 23, expect: "complete" },
  ],
  "is told as hung where it moves and says nothing": [
    { at: 0, signal: prompt },
    { at: 5, signal: asked },
    { at: 6, signal: says("a", true), expect: "working" },
    { at: 117, expect: "stuck/silent_stream" },
  ],
  "is none where something is drawn long after it": [
    { at: 0, signal: prompt },
    { at: 5, signal: asked },
    { at: 6, signal: says("a", true), expect: "working" },
    { at: 9, signal: says("ab", false) },
    { at: 20, expect: "complete" },
    { at: 70, signal: says("ab, 1m idle", true) },
    { at: 74, signal: says("ab, 1m idle", false) },
    { at: 76, expect: "complete" },
    { at: 80, signal: asked },
    { at: 81, signal: says("abc", true), expect: "working" },
  ],
  "is none where nobody asked": [
    { at: 0, signal: prompt },
    { at: 6, signal: says("a", true), expect: "idle" },
  ],
  "is none where nothing new stands there": [
    { at: 0, signal: prompt },
    { at: 5, signal: asked },
    { at: 6, signal: screen({ busy: false, moving: true }), expect: "idle" },
  ],
  "is none where a mark was seen before: it is out": [
    { at: 0, signal: prompt },
    { at: 1, signal: asked },
    { at: 2, signal: screen({ busy: true, moving: true, reply: "a" }), expect: "working" },
    { at: 9, signal: says("ab", false) },
    { at: 14, expect: "complete" },
    { at: 20, signal: asked },
    { at: 21, signal: says("abc", false) },
    { at: 24, expect: "complete" },
  ],
  "is none where the place to type into goes away during work, and is back": [
    { at: 0, signal: prompt },
    { at: 1, signal: asked },
    { at: 2, signal: screen({ busy: null, composer: "hidden", moving: true, reply: "a" }), expect: "working" },
    { at: 9, signal: says("ab", true), expect: "working" },
    { at: 12, signal: says("ab", false), expect: "complete" },
  ],
};

describe("work that only motion shows", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps, { retriesSilently: false });
    expect(said).toEqual(expected);
  });

  it("is no guess where the program is known", () => {
    const known = { versions: { from: "1.0.0", to: "2.0.0" } };
    const { said, expected } = walk(
      [
        { at: 0, signal: prompt },
        { at: 5, signal: asked },
        { at: 6, signal: says("a", true), expect: "idle" },
      ],
      known,
    );
    expect(said).toEqual(expected);
  });
});
