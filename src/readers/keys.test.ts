import { describe, expect, it } from "vitest";
import { readKeys } from "./keys.js";

describe("keys", () => {
  it.each([
    ["a device report", "\u001b[?62;22c"],
    ["a cursor position", "\u001b[12;40R"],
    ["a focus change", "\u001b[I"],
    ["a colour report", "\u001b]11;rgb:0000/0000/0000\u001b\\"],
    ["a version report", "\u001bP>|tmux 3.4\u001b\\"],
    ["nothing", ""],
  ])("are none of a human's in %s", (_, text) => {
    expect(readKeys(text, 0)).toBeNull();
  });

  it.each([
    ["a letter", "a", {}],
    ["Enter", "go\r", { submits: true }],
    ["Escape", "\u001b", { interrupts: true }],
    ["Ctrl-C", "\u0003", { interrupts: true, quits: true }],
    ["Ctrl-D", "\u0004", { quits: true }],
    ["the command to leave", "/exit\r", { quits: true, submits: true }],
    ["the command to leave inside a sentence", "what does /exit do\r", { submits: true }],
    ["a key behind a report", "\u001b[12;40Ry", {}],
  ])("say what they ask for: %s", (_, text, expected) => {
    const { kind, by, bytes, at, source, ...flags } = readKeys(text, 7) ?? {};
    expect(flags).toEqual(expected);
    expect([kind, by, at, source]).toEqual(["input", "human", 7, "human"]);
    expect(bytes).toBeGreaterThan(0);
  });
});
