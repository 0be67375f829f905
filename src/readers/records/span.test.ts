import { describe, expect, it } from "vitest";
import { spanOf } from "./span.js";

describe("spanOf", () => {
  it.each([
    [
      { path: "a", offset: 10, limit: 5 },
      { from: 10, to: 15 },
    ],
    [
      { path: "a", offset: 10 },
      { from: 10, to: 2010 },
    ],
    [
      { file: "a", start_line: 3, end_line: 3 },
      { from: 3, to: 4 },
    ],
    [
      { path: "a", startLine: 1, endLine: 40 },
      { from: 1, to: 41 },
    ],
    [
      { path: "a", view_range: [5, 9] },
      { from: 5, to: 10 },
    ],
    [
      { path: "a", view_range: [5, -1] },
      { from: 5, to: 2005 },
    ],
    [{ command: "sed -n '10,50p' src/a.ts" }, { from: 10, to: 51, file: "src/a.ts" }],
    [{ cmd: "sed -n 1,2p a" }, { from: 1, to: 3, file: "a" }],
  ])("reads the lines of %j", (args, span) => {
    expect(spanOf(args)).toEqual(span);
  });

  it.each([
    { path: "a" },
    { command: "sed -n 1,2p a; rm b" },
    { command: "sed -i 1,2d a" },
    { path: "a", start_line: 9, end_line: 2 },
    { path: "a", offset: "10" },
    null,
    "offset",
    [1, 2],
  ])("finds none in %j", (args) => {
    expect(spanOf(args)).toBeUndefined();
  });
});
