import { describe, expect, it } from "vitest";
import { durationMs, tokenCount } from "./numbers.js";

describe("the numbers of a status line", () => {
  it.each([
    ["(12s · esc to interrupt)", 12_000],
    ["(1m 05s)", 65_000],
    ["1h 2m 3s left", 3_723_000],
    ["350ms", 350],
    ["0.5s", 500],
    ["retry 3s, then 9s", 3000],
    ["no time here", null],
    ["step 3 of 9", null],
  ])("contain an elapsed time: %s", (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  it.each([
    ["↓ 1.2k tokens", 1200],
    ["↑ 42 tokens", 42],
    ["3M tokens", 3_000_000],
    ["1 token", 1],
    ["tokens", null],
  ])("contain a count of tokens: %s", (text, count) => {
    expect(tokenCount(text)).toBe(count);
  });
});
