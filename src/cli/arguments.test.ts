import { describe, expect, it } from "vitest";
import { collectNames, collectTag, parseInbox, parseMessageType, parseName, parseNamed } from "./arguments.js";

describe("arguments of the command line", () => {
  it.each([
    ["a known name", parseNamed, ["api", "my folder-17", "日本語", "%3"]],
    ["an agent's name", parseName, ["api", "a.b_c-1", "7"]],
    ["an inbox", parseInbox, ["orchestrator", "team a"]],
    ["a type", parseMessageType, ["note", "team.note-1"]],
  ] as const)("accept %s unchanged", (_, parse, values) => {
    for (const value of values) expect(parse(value)).toBe(value);
  });

  it.each([
    ["a known name", parseNamed, ["", "  ", ".", "..", "x".repeat(201)], "name"],
    ["an agent's name", parseName, ["", "-x", ".x", "_x", "für", "a b", "x".repeat(65)], "ASCII only"],
    ["an inbox", parseInbox, ["", " ", "x".repeat(201)], "It must be a tag"],
    ["a type", parseMessageType, ["", "a b", "Note", "1a"], "A type starts with a lowercase letter"],
    ["a name to keep", collectNames, ["", "a\u001b[31mb", "a\nb"], "name"],
    ["a tag", collectTag, ["", "a b", "a,b"], "A tag is one word"],
  ] as const)("that are not %s are refused with the rule", (_, parse, values, text) => {
    for (const value of values) expect(() => parse(value, undefined), value).toThrow(text);
  });
});
