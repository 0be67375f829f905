import { describe, expect, it } from "vitest";
import { rowOf } from "./row.js";
import { footOf, joinRows, maskRow } from "./screen-text.js";

describe("rows of text", () => {
  it("end at the lowest row that is not blank", () => {
    expect(
      [
        ["a", "", " "],
        ["", ""],
      ].map((rows) => footOf(rows.map(rowOf))),
    ).toEqual([0, -1]);
  });

  it("are joined without frames, rules and blanks", () => {
    expect(joinRows(["╭────────╮", "│ one    │", "", "│ two    │", "╰────────╯"].map(rowOf))).toBe("one\ntwo");
  });

  it("are masked in the parts that always move", () => {
    const masked = (text: string) => maskRow(rowOf(text));
    expect(masked("⠋ Running 3s")).toBe(masked("⠙ Running 4s"));
    expect(masked("⊶ Shell npm test 59s")).toBe(masked("⊷ Shell npm test 1m 0s"));
    expect(masked("│(     ●)  Thinking")).toBe(masked("│(   ●  )  Thinking.."));
    expect(masked("● Wrote 3 files")).not.toBe(masked("● Wrote 4 files"));
  });
});
