import { describe, expect, it } from "vitest";
import { isPainting, paintScreen } from "./paint-screen.js";

const SIZE = { cols: 20, rows: 4 };

describe("the text of a terminal", () => {
  it("is the last screen below the scrolled-out text", async () => {
    const drawn = "one\r\ntwo\r\nthree\r\nfour\r\nfive\u001b[1A\r\u001b[2KFOUR\u001b[4;6Hx";
    expect(await paintScreen(Buffer.from(drawn), SIZE)).toEqual(["one", "two", "three", "FOUR", "five x"]);
  });

  it("joins a wrapped line again", async () => {
    expect((await paintScreen(Buffer.from("a".repeat(50)), SIZE))[0]).toBe("a".repeat(50));
  });
});

describe("a program that draws", () => {
  it.each([
    ["moves the cursor", "\u001b[12;1Hx", true],
    ["goes up", "a\nb\u001b[2Ac", true],
    ["moves within a line", "a\u001b[4Cb", true],
    ["uses the whole screen", "\u001b[?1049h", true],
    ["only colours its lines", "\u001b[1;31mred\u001b[0m\n", false],
    ["overwrites one line", "10 %\r\u001b[K20 %\n", false],
  ])("%s: %j %s", (_, text, paints) => {
    expect(isPainting(Buffer.from(text))).toBe(paints);
  });
});
