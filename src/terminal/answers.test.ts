import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerFilter } from "./answers.js";

const keysOf = (...chunks: string[]): string => {
  const filter = new AnswerFilter();
  return chunks.map((chunk) => filter.keys(Buffer.from(chunk, "latin1")).toString("latin1")).join("");
};

const ANSWERS = [
  "\u001b[?62;22c",
  "\u001b[>0;276;0c",
  "\u001b[24;80R",
  "\u001b[0n",
  "\u001b[?997;1n",
  "\u001b[?2026;2$y",
  "\u001b[?1u",
  "\u001b[8;24;80t",
  "\u001b]11;rgb:ffff/ffff/ffff\u0007",
  "\u001b]7501;?\u001b\\",
  "\u001bP>|xterm(380)\u001b\\",
  "\u001bP1$r0m\u001b\\",
  "\u001b_Gi=1;OK\u001b\\",
];

const KEYS = [
  "a",
  "\r",
  "\u001b",
  "\u001b[A",
  "\u001bOP",
  "\u001b[1;2R",
  "\u001b[3~",
  "\u001b[97;5u",
  "\u001b[<0;1;2M",
  "\u001b[I",
  "\u001bP",
  "\u001b]",
  "\u001b[200~text\u001b[201~",
  "\u0003",
];

describe("a viewer's terminal", () => {
  it.each(ANSWERS)("does not pass its answer %j to the agent", (answer) => {
    expect(keysOf(`x${answer}y`)).toBe("xy");
  });

  it.each(KEYS)("passes the key %j to the agent", (key) => {
    expect(keysOf(key, "z")).toBe(`${key}z`);
  });

  it("may send a control string in any pieces", () => {
    const text = "a\u001b]11;rgb:ffff/ffff/ffff\u001b\\b";
    fc.assert(
      fc.property(fc.integer({ min: 4, max: text.length - 1 }), (cut) => {
        expect(keysOf(text.slice(0, cut), text.slice(cut))).toBe("ab");
      }),
    );
  });

  it("passes keys again after an unterminated answer", () => {
    expect(keysOf(`\u001b]11;${"x".repeat(9000)}`, "key")).toBe("key");
  });
});
