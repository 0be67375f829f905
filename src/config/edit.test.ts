import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { setInConfig } from "./edit.js";
import { configText } from "./text.js";

const HUB = { url: 'postgresql://a:b"c@d/e', node: "lab-1" };

describe("setting keys in a configuration file", () => {
  it("replaces the commented defaults of the file that rouse creates, and nothing else", () => {
    const before = configText();
    const after = setInConfig(before, "hub", HUB);
    expect(parse(after).hub).toEqual(HUB);
    expect(after.split("\n")).toHaveLength(before.split("\n").length);
    expect(after.split("\n").filter((line) => !before.includes(line))).toHaveLength(2);
  });

  it("keeps comments, other keys and other tables of a user's file", () => {
    const before = '# mine\nversion = 1\n[hub] # shared\nurl = "old" # a\n[watchdog]\nnode = "x"';
    expect(setInConfig(before, "hub", HUB)).toBe(
      '# mine\nversion = 1\n[hub] # shared\nnode = "lab-1"\nurl = "postgresql://a:b\\"c@d/e"\n[watchdog]\nnode = "x"',
    );
  });

  it("adds a missing table at the end, and starts a missing file", () => {
    expect(setInConfig("version = 1\n", "hub", { node: "a" })).toBe('version = 1\n\n[hub]\nnode = "a"\n');
    expect(parse(setInConfig("", "hub", HUB)).hub).toEqual(HUB);
  });

  it("refuses what it cannot edit", () => {
    expect(() => setInConfig('hub = { url = "x" }\n', "hub", HUB)).toThrow(/hub/);
    expect(() => setInConfig("broken = \n", "hub", HUB)).toThrow(/./);
  });
});
