import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentText, resultText, textHead, textTail } from "./text.js";

describe("head and tail", () => {
  it("cut a text to one safe line", () => {
    expect(textHead("a\u001b[31m\nb", 20)).toBe("a [31m b");
    expect(textHead("x".repeat(500))).toHaveLength(200);
    expect(textTail(`${"x".repeat(500)}the end`, 7)).toBe("the end");
  });

  it("remove control bytes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)) }),
        (text) => {
          expect(/\p{Cc}/u.test(textHead(text) + textTail(text))).toBe(false);
        },
      ),
    );
  });
});

describe("textOf", () => {
  it.each<[unknown, string]>([
    ["plain", "plain"],
    [
      [
        { type: "text", text: "a" },
        { type: "image", source: {} },
        { type: "text", text: "b" },
      ],
      "a\nb",
    ],
    [{ output: { content: "deep" } }, "deep"],
    [{ stdout: "out", stderr: "warned" }, "out\nwarned"],
    [{ stdout: "out", stderr: "" }, "out"],
    [{ nothing: 1 }, ""],
    [null, ""],
    [7, ""],
  ])("of %j is %j", (value, text) => {
    expect(contentText(value)).toBe(text);
  });

  it("reads only to a bounded depth", () => {
    let value: unknown = "far away";
    for (let i = 0; i < 10_000; i++) value = [value];
    expect(contentText(value)).toBe("");
  });
});

describe("resultText", () => {
  it("distinguishes results without text", () => {
    expect(resultText([{ type: "image", data: "AAA" }])).not.toBe(resultText([{ type: "image", data: "BBB" }]));
    expect(resultText([{ type: "text", text: "a" }])).toBe("a");
    expect(resultText(undefined)).toBe("");
  });
});
