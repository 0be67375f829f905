import { describe, expect, it } from "vitest";
import { parseProblem, parseSources, parseZone } from "./options.js";

describe("values of options", () => {
  it("are refused with the known values if they are unknown", () => {
    expect(parseSources("screen, hooks")).toEqual(new Set(["screen", "hooks"]));
    expect(parseSources("hook,session_file")).toEqual(new Set(["hooks", "session"]));
    expect(() => parseSources("screen,telepathy")).toThrow(/"telepathy"; the sources are screen, transcript/);
    expect(parseZone("Europe/Berlin")).toBe("Europe/Berlin");
    expect(() => parseZone("Mars/Olympus")).toThrow(/IANA zone/);
  });

  it("are refused with the nearest match alone if there are many known values", () => {
    expect(() => parseProblem("lop")).toThrow(/^Unknown problem "lop"; did you mean loop\?$/);
    expect(() => parseProblem("zzzzzz")).toThrow(/rouse policy show default/);
  });
});
