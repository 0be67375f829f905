import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitize } from "./sanitize.js";

describe("text from an agent, made safe", () => {
  it.each([
    ["escape sequences", "a\u001b[31mb", "a [31mb"],
    ["control bytes of both sets", "a\u0000\u0007\u009bb", "a b"],
    ["text that changes its direction", "a\u202eb\u2066c", "a b c"],
    ["invisible characters", "a\u200bb\ufeffc\u{e0041}", "a b c"],
    ["line breaks", "a\r\nb\u2028c", "a b c"],
  ])("has no %s", (_, text, expected) => {
    expect(sanitize(text)).toBe(expected);
  });

  it("has none of the characters that hide text, change its direction or end a line", () => {
    const ranges = [
      [0x00, 0x1f],
      [0x7f, 0x9f],
      [0xad, 0xad],
      [0x61c, 0x61c],
      [0x180e, 0x180e],
      [0x200b, 0x200f],
      [0x2028, 0x202f],
      [0x2060, 0x206f],
      [0xfeff, 0xfeff],
      [0xfff9, 0xfffb],
      [0xe0000, 0xe007f],
    ] as const;
    const unsafe = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
    const left = unsafe.filter((code) => sanitize(`a${String.fromCodePoint(code)}b`) !== "a b");
    expect(left.map((code) => code.toString(16))).toEqual([]);
  });

  it("keeps ordinary text: letters of any script, emoji, accents", () => {
    expect(sanitize("Grüße, 日本語 😀 e\u0301")).toBe("Grüße, 日本語 😀 e\u0301");
  });

  it("is bounded, well formed and free of control bytes for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.integer({ min: 2, max: 50 }), (text, max) => {
        const safe = sanitize(text, max);
        expect(safe.length).toBeLessThanOrEqual(max);
        expect(() => encodeURIComponent(safe)).not.toThrow();
        expect(safe).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
