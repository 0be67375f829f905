import { describe, expect, it } from "vitest";
import { parseSources, parseZone } from "./options.js";

describe("values of options", () => {
  it("are refused with the known values if they are unknown", () => {
    expect(parseSources("screen, hooks")).toEqual(new Set(["screen", "hooks"]));
    expect(() => parseSources("screen,telepathy")).toThrow(/"telepathy"; the sources are screen, transcript/);
    expect(parseZone("Europe/Berlin")).toBe("Europe/Berlin");
    expect(() => parseZone("Mars/Olympus")).toThrow(/IANA zone/);
  });
});
