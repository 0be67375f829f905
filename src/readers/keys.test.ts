import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskKeys, readKeys } from "./keys.js";

describe("keys", () => {
  it.each([
    ["a device report", "\u001b[?62;22c"],
    ["a cursor position", "\u001b[12;40R"],
    ["a focus change", "\u001b[I"],
    ["a colour report", "\u001b]11;rgb:0000/0000/0000\u001b\\"],
    ["a report of the keyboard's mode", "\u001b[?1u"],
    ["a version report", "\u001bP>|tmux 3.4\u001b\\"],
    ["nothing", ""],
  ])("are not the user's in %s", (_, text) => {
    expect(readKeys(text, 0)).toBeNull();
  });

  it.each([
    ["a letter", "a", {}],
    ["Enter", "go\r", { submits: true }],
    ["Escape", "\u001b", { interrupts: true }],
    ["Ctrl-C", "\u0003", { interrupts: true, quits: true }],
    ["Ctrl-D", "\u0004", { quits: true }],
    ["the exit command", "/exit\r", { quits: true, submits: true }],
    ["the exit command inside a sentence", "what does /exit do\r", { submits: true }],
    ["Ctrl-C, spelled out", "\u001b[99;5u", { interrupts: true, quits: true }],
    ["Escape, spelled out", "\u001b[27u", { interrupts: true }],
    ["Escape, pressed and released", "\u001b[27;1:1u\u001b[27;1:3u", { interrupts: true }],
    ["Enter, spelled out", "\u001b[13u", { submits: true }],
    ["Shift-Enter, which starts a line", "\u001b[13;2u", {}],
    ["a letter, spelled out", "\u001b[97;1u", {}],
    ["a key behind a report", "\u001b[12;40Ry", {}],
  ])("show the requested action: %s", (_, text, expected) => {
    const { kind, by, bytes, at, source, ...flags } = readKeys(text, 7) ?? {};
    expect(flags).toEqual(expected);
    expect([kind, by, at, source]).toEqual(["input", "human", 7, "human"]);
    expect(bytes).toBeGreaterThan(0);
  });
});

describe("masked keys", () => {
  it.each([
    ["letters of any script", "s3cret \u00e9\u6f22", "*********"],
    ["Enter and Ctrl-C, as they are", "abc\r\u0003", "***\r\u0003"],
    ["arrows and function keys, as they are", "\u001b[A\u001bOP\u001b[15~", "\u001b[A\u001bOP\u001b[15~"],
    ["a paste", "\u001b[200~hunter2\u001b[201~", "\u001b[200~*******\u001b[201~"],
    ["a character that is spelled out", "\u001b[27;5;97~", "\u001b*********"],
    ["a character that a newer terminal spells out", "\u001b[97;1u\u001b[99;5u", "*\u0003"],
    ["Alt and a letter", "\u001bx", "\u001b*"],
    ["the answers of a terminal", "\u001b[?62;22cok", "**"],
    ["the exit command, as it is", "/exit\r", "/exit\r"],
  ])("contain no text of %s", (_, text, masked) => {
    expect(maskKeys(text)).toBe(masked);
  });

  it("give the judgement the same result as the keys themselves", () => {
    const key = fc.constantFrom(
      "a",
      "7",
      "\r",
      "\u0003",
      "\u0004",
      "\u001b",
      "\u001b[B",
      "\u001bOP",
      "/exit",
      "\u001b[5;1R",
      "\u001b[98u",
      "\u001b[99;5u",
      " ",
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 8 }), (keys) => {
        expect(readKeys(maskKeys(keys.join("")), 3)).toEqual(readKeys(keys.join(""), 3));
      }),
      { numRuns: 500 },
    );
  });
});
