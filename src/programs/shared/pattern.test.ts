import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern.js";

describe("a pattern", () => {
  it("gives the named groups that took part", () => {
    const retrying = compilePattern("^(?P<verb>\\w+)ing(?: in (?P<delay>\\d+)s)?$");
    expect(retrying.groups("Retrying in 5s")).toEqual({ verb: "Retry", delay: "5" });
    expect(retrying.groups("Retrying")).toEqual({ verb: "Retry" });
    expect(retrying.groups("done")).toBeNull();
  });

  it("comes to an end where a backtracking engine takes for ever", () => {
    expect(compilePattern("^(a+)+$").test(`${"a".repeat(4000)}!`)).toBe(false);
  });

  it("reads no more of a text than its bound", () => {
    expect(compilePattern("end").test(`${"x".repeat(4096)}end`)).toBe(false);
    expect(compilePattern("end").test(`${"x".repeat(4093)}end`)).toBe(true);
  });

  it("is refused when it is so large that a row would take long", () => {
    for (const source of ["\\pL{1000}", "(?:a|b|c){1000}", "(\\pL{1,31}){1,31}"])
      expect(() => compilePattern(source)).toThrow(/is too large \(\d+ steps, at most 1000\): use fewer or shorter/);
  });

  it("says what is wrong, with the pattern's own text", () => {
    expect(() => compilePattern("(unclosed")).toThrow(/pattern "\(unclosed" is not valid RE2 syntax/);
    expect(() => compilePattern("(?=ahead)")).toThrow(/not valid RE2 syntax/);
  });
});
