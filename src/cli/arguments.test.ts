import { describe, expect, it } from "vitest";
import { collectNames, collectTag, parseInbox, parseMessageType, parseName, parseNamed } from "./arguments.js";

describe("arguments", () => {
  it.each([
    ["somebody", parseNamed, ["api", "my folder-17", "日本語", "%3"]],
    ["an agent's name", parseName, ["api", "a.b_c-1", "7"]],
    ["an inbox", parseInbox, ["orchestrator", "team a"]],
    ["a type", parseMessageType, ["note", "team.note-1"]],
  ] as const)("take %s as it is written", (_, parse, values) => {
    for (const value of values) expect(parse(value)).toBe(value);
  });

  it.each([
    ["somebody", parseNamed, ["", "  ", ".", "..", "x".repeat(201)], "name"],
    ["an agent's name", parseName, ["", "-x", ".x", "_x", "für", "a b", "x".repeat(65)], "all of ASCII"],
    ["an inbox", parseInbox, ["", " ", "x".repeat(201)], "It must be a tag"],
    ["a type", parseMessageType, ["", "a b", "Note", "1a"], "A type begins with a small letter"],
    ["a name to keep", collectNames, ["", "a\u001b[31mb", "a\nb"], "name"],
    ["a tag", collectTag, ["", "a b", "a,b"], "A tag is one word"],
  ] as const)("refuse what cannot be %s, with what it must be", (_, parse, values, text) => {
    for (const value of values) expect(() => parse(value, undefined), value).toThrow(text);
  });
});
