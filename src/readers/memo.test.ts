import { describe, expect, it } from "vitest";
import { BoundedMemo } from "./memo.js";

describe("memo", () => {
  it("computes an answer once", () => {
    let made = 0;
    const memo = new BoundedMemo(4, (text) => `${text}${++made}`);
    expect([memo.of("a"), memo.of("a"), memo.of("b")]).toEqual(["a1", "a1", "b2"]);
  });

  it("drops entries that were not used recently, and keeps the others", () => {
    const made: string[] = [];
    const memo = new BoundedMemo(4, (text) => {
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
