import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const writes = (reply: string) => screen({ busy: null, composer: "hidden", moving: true, reply });

const PROMISES: Record<string, Step[]> = {
  "works while new text comes, once it has had its time to start": [
    { at: 0, signal: writes("a"), expect: "starting" },
    { at: 30, signal: writes("b"), expect: "starting" },
    { at: 61, signal: writes("c"), expect: "working" },
    { at: 100, expect: "working" },
  ],
  "says nothing of work when it has written nothing for a minute": [
    { at: 0, signal: writes("a") },
    { at: 61, signal: writes("b"), expect: "working" },
    { at: 125, expect: "starting" },
  ],
};

describe("a program that nobody knows and nobody asked", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });
});
