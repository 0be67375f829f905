import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern.js";

describe("a pattern", () => {
  it("returns the named groups that matched", () => {
    const retrying = compilePattern("^(?P<verb>\\w+)ing(?: in (?P<delay>\\d+)s)?$");
    expect(retrying.groups("Retrying in 5s")).toEqual({ verb: "Retry", delay: "5" });
    expect(retrying.groups("Retrying")).toEqual({ verb: "Retry" });
    expect(retrying.groups("done")).toBeNull();
  });

  it("ends quickly on input that makes a backtracking engine run without end", () => {
    expect(compilePattern("^(a+)+$").test(`${"a".repeat(4000)}!`)).toBe(false);
  });

  it("reads a text only up to its bound", () => {
    expect(compilePattern("end").test(`${"x".repeat(4096)}end`)).toBe(false);
    expect(compilePattern("end").test(`${"x".repeat(4093)}end`)).toBe(true);
  });

  it("is refused if it is so large that matching a row would be slow", () => {
    for (const source of ["\\pL{1000}", "(?:a|b|c){1000}", "(\\pL{1,31}){1,31}"])
      expect(() => compilePattern(source)).toThrow(/is too large \(\d+ steps, at most 1000\): use fewer or shorter/);
  });

  it("is named in the error with the reason", () => {
    expect(() => compilePattern("(unclosed")).toThrow(/pattern "\(unclosed" is not valid RE2 syntax/);
    expect(() => compilePattern("(?=ahead)")).toThrow(/not valid RE2 syntax/);
  });
});
