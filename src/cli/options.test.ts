import { describe, expect, it } from "vitest";
import { parseSources, parseZone } from "./options.js";

describe("options", () => {
  it("are checked where they are read, with what there is", () => {
    expect(parseSources("screen, hooks")).toEqual(new Set(["screen", "hooks"]));
    expect(() => parseSources("screen,telepathy")).toThrow(/"telepathy"; there are screen, transcript/);
    expect(parseZone("Europe/Berlin")).toBe("Europe/Berlin");
    expect(() => parseZone("Mars/Olympus")).toThrow(/IANA zone/);
  });
});
