import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const asked = { kind: "input", source: "human", by: "human", bytes: 2, submits: true } as const;
const prompt = screen({ busy: false });
const says = (reply: string, moving: boolean) =>
  screen({ busy: false, reply, moving, replying: true, closing: "result" });

const PROMISES: Record<string, Step[]> = {
  "of a program with an unknown mark is its motion after a request": [
    { at: 0, signal: prompt, expect: "idle" },
    { at: 5, signal: asked },
    { at: 6, signal: says("a", true), expect: "working" },
    { at: 7, signal: says("ab", true), expect: "working" },
    { at: 9, signal: says("ab", false), expect: "working" },
    { at: 15, expect: "working" },
    { at: 20, expect: "complete" },
  ],
  "is over soon after a spinner stops that moved without new text": [
    { at: 0, signal: prompt },
    { at: 5, signal: asked },
    { at: 6, signal: says("a", true), expect: "working" },
    { at: 16, signal: says("ab", true), expect: "working" },
    { at: 19, signal: says("ab", false), expect: "working" },
    { at: 23, expect: "complete" },
  ],
  "is reported as hung if the screen moves without new text": [
    { at: 0, signal: prompt },
    { at: 5, signal: asked },
    { at: 6, signal: says("a", true), expect: "working" },
    { at: 117, expect: "stuck/silent_stream" },
  ],
  "is not inferred from drawing long after its end": [
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
  "is not inferred without a request": [
    { at: 0, signal: prompt },
    { at: 6, signal: says("a", true), expect: "idle" },
  ],
  "is not inferred without new text": [
    { at: 0, signal: prompt },
    { at: 5, signal: asked },
    { at: 6, signal: screen({ busy: false, moving: true }), expect: "idle" },
  ],
  "is not inferred if a known mark was seen before and is gone": [
    { at: 0, signal: prompt },
    { at: 1, signal: asked },
    { at: 2, signal: screen({ busy: true, moving: true, reply: "a" }), expect: "working" },
    { at: 9, signal: says("ab", false) },
    { at: 14, expect: "complete" },
    { at: 20, signal: asked },
    { at: 21, signal: says("abc", false) },
    { at: 24, expect: "complete" },
  ],
  "is not inferred if the input field disappears during work and is back": [
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

  it("is not guessed for a known program", () => {
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
