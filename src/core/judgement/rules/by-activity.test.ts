import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const writes = (reply: string) => screen({ busy: null, composer: "hidden", moving: true, reply });

const PROMISES: Record<string, Step[]> = {
  "is working while new output arrives after its start-up time": [
    { at: 0, signal: writes("a"), expect: "starting" },
    { at: 30, signal: writes("b"), expect: "starting" },
    { at: 61, signal: writes("c"), expect: "working" },
    { at: 100, expect: "working" },
  ],
  "is not working after a minute without output": [
    { at: 0, signal: writes("a") },
    { at: 61, signal: writes("b"), expect: "working" },
    { at: 125, expect: "starting" },
  ],
};

describe("an unknown program without a request", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });
});
