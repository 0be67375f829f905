import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesName, NAME_PATTERN } from "./name-pattern.js";

const firstChar = fc.constantFrom("a", "b", "9");
const nameChar = fc.constantFrom("a", "b", "X", "Y", "0", "9", ".", "_", "-");
const name = fc.tuple(firstChar, fc.string({ unit: nameChar, maxLength: 12 })).map((parts) => parts.join(""));
const pattern = fc
  .tuple(firstChar, fc.string({ unit: fc.constantFrom("a", "b", "9", ".", "_", "-", "*", "*"), maxLength: 12 }))
  .map((parts) => parts.join(""));

/** The definition, as a regular expression. */
const reference = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.-]/g, "\\$&").replaceAll("*", "[A-Za-z0-9._-]*")}$`);

describe("a pattern of names", () => {
  it("matches the whole name, and a star matches any characters of a name", () => {
    fc.assert(
      fc.property(pattern, name, (wanted, given) => {
        expect(matchesName(wanted, given)).toBe(reference(wanted).test(given));
      }),
    );
    fc.assert(
      fc.property(pattern, name, (wanted, filled) => {
        const made = wanted.replaceAll("*", filled).slice(0, 64);
        fc.pre(wanted.replaceAll("*", filled).length <= 64);
        expect(matchesName(wanted, made)).toBe(true);
      }),
    );
  });

  it("matches nothing that is no name: line ends, control characters, look-alikes, other cases", () => {
    for (const given of [
      "lab-1\n",
      "lab-1\u0000",
      "lab-\u001b[2J",
      "lab-\u200b1",
      "lаb-1",
      "LAB-1",
      "lab-1/../x",
      " lab-1",
      "lab- 1",
      `lab-${"x".repeat(61)}`,
      "",
    ])
      expect(matchesName("lab-*", given), JSON.stringify(given)).toBe(false);
    expect(matchesName("lab-*", "lab-1")).toBe(true);
    expect(matchesName("lab-*", "xlab-1")).toBe(false);
  });

  it("needs linear time for many stars", () => {
    expect(matchesName(`a${"*a".repeat(31)}b`, `${"a".repeat(64)}`)).toBe(false);
  });

  it("begins with a character of its own, so that no token may take every name", () => {
    for (const wrong of ["*", "*-lab", "", "-x*", "lab *", "lab-?", "lab/*", "x".repeat(65)])
      expect(NAME_PATTERN.test(wrong), wrong).toBe(false);
    for (const right of ["lab-*", "a*", "manus-*-x", "one"]) expect(NAME_PATTERN.test(right)).toBe(true);
  });
});
