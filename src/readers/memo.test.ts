import { describe, expect, it } from "vitest";
import type { Spans } from "../agents/pattern.js";
import { Memo } from "./memo.js";
import { recall } from "./screen/recall.js";

describe("memo", () => {
  it("works an answer out once", () => {
    let made = 0;
    const memo = new Memo(4, (text) => `${text}${++made}`);
    expect([memo.of("a"), memo.of("a"), memo.of("b")]).toEqual(["a1", "a1", "b2"]);
  });

  it("forgets what was not asked for lately, and keeps what was", () => {
    const made: string[] = [];
    const memo = new Memo(4, (text) => {
      made.push(text);
      return text;
    });
    for (let i = 0; i < 40; i++) {
      memo.of("kept");
      memo.of(`passing ${i}`);
    }
    memo.of("passing 0");
    expect(made.filter((text) => text === "kept")).toHaveLength(1);
    expect(made.filter((text) => text === "passing 0")).toHaveLength(2);
  });
});

describe("a pattern that remembers", () => {
  it("answers like the pattern itself and asks it once per text", () => {
    let asked = 0;
    const counting = {
      source: "x",
      tellsDigits: false,
      test: (text: string) => {
        asked++;
        return text.startsWith("x");
      },
      groups: (text: string) => ({ rest: text.slice(1) }),
      spans: (text: string): Spans => ({ rest: [1, text.length] }),
    };
    const remembering = recall(counting, 8);
    for (let i = 0; i < 3; i++) {
      expect(remembering.test("xy")).toBe(true);
      expect(remembering.groups("xy")).toEqual({ rest: "y" });
      expect(remembering.groups("ay")).toBeNull();
    }
    expect(asked).toBe(2);
  });
});
