import { describe, expect, it } from "vitest";
import { isAtRest } from "./at-rest.js";

const rests = (text: string): boolean => isAtRest(Buffer.from(text, "latin1"));

describe("output that is at rest", () => {
  it.each([
    "",
    "words",
    "\u001b[31mred",
    "\u001b[0m",
    "\u001b]0;title\u0007",
    "\u001b]0;t\u001b\\",
    "\u001b7",
    "\u001b(B",
    "\u001bc",
  ])("is %j", (text) => expect(rests(text)).toBe(true));

  it.each(["\u001b", "words\u001b[", "\u001b[38;5", "\u001b]0;tit", "\u001bP1;2", "\u001b(", "\u001b_Gq"])(
    "is not %j",
    (text) => expect(rests(text)).toBe(false),
  );

  it("does not end within a character", () => {
    const bytes = Buffer.from("a€");
    expect(isAtRest(bytes)).toBe(true);
    expect(isAtRest(bytes.subarray(0, 2))).toBe(false);
    expect(isAtRest(bytes.subarray(0, 3))).toBe(false);
  });
});
