import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputText } from "./output.js";

const textOf = (...chunks: Uint8Array[]): string => {
  const text = new OutputText();
  return chunks.flatMap((chunk) => [...text.take(Buffer.from(chunk))]).join("") + text.end();
};

describe("the output of an agent as text", () => {
  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m\r\n", "red\n"],
    ["titles and clipboards", "\u001b]0;title\u0007a\u001b]52;c;eA==\u001b\\b\n", "ab\n"],
    ["overwritten text", "10 %\r50 %\r100 %\r\n", "100 %\n"],
    ["indentation", "  two\n\tfour\n", "  two\n\tfour\n"],
    ["a line without an end", "half", "half\n"],
    ["moves to the right", "name\u001b[4Cstate\u001b[20Gsince\r\n", "name    state      since\n"],
    ["moves to another line", "one\u001b[2;3Htwo\u001b[Bthree\u001b[1Efour", "one\n  two\n     three\nfour\n"],
    ["an erased line", "half of it\r\u001b[Kall\n", "all\n"],
    ["a backspace", "ab\bc\n", "ac\n"],
    ["character sets and device strings", "\u001b(Ba\u001bP1$r0m\u001b\\b\n", "ab\n"],
  ])("keeps the words and leaves out %s", (_what, raw, wanted) => {
    expect(textOf(Buffer.from(raw))).toBe(wanted);
  });

  it("does not grow by moves to the right", () => {
    expect(textOf(Buffer.from(`${"\u001b[999C".repeat(1000)}x\n`))).toHaveLength(1002);
    const narrow = new OutputText(80);
    expect([...narrow.take(Buffer.from("\u001b[999Cx\n\u001b[999Gy\n\u001b[5;999Hz\n"))].join("")).toBe(
      `${" ".repeat(80)}x\n${" ".repeat(79)}y\n${" ".repeat(79)}z\n`,
    );
  });

  it("contains no control byte, however the bytes are split", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), (chunks) => {
        expect(textOf(...chunks)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
      { numRuns: 500 },
    );
  });
});
