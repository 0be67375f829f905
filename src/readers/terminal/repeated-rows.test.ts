import { describe, expect, it } from "vitest";
import { RepeatReader } from "./repeated-rows.js";
import { rowOf } from "./row.js";

const ROUND = ["● I run the tests again.", "", "✗ Shell node test.mjs", "  not ok: expected 3, got 4", ""];
const times = (n: number, round: readonly string[] = ROUND): string[] => Array.from({ length: n }, () => round).flat();
/** A screen of fourteen rows full of repetitions, scrolled by some rows. */
const scrolled = (rows: number): string[] => times(6).slice(rows, rows + 14);
const read = (rows: readonly string[], reader = new RepeatReader()) => reader.read(rows.map(rowOf), rows.length);

describe("rows that repeat on a screen", () => {
  it("are counted, with the longest row that starts with a sign", () => {
    expect(read(["❯ Mend it.", "", ...times(4)])).toMatchObject({
      times: 4,
      rows: 3,
      text: "● I run the tests again.",
    });
  });

  it("are counted as whole repetitions, with any part of the next one", () => {
    for (let begun = 0; begun < ROUND.length - 1; begun++)
      expect(read(["❯ Mend it.", ...times(4), ...ROUND.slice(0, begun)])?.times).toBe(4);
    expect(read(["❯ Mend it.", ...times(4), "● I run the te"])?.times).toBe(4);
  });

  it("are the same with another clock, another cost and a moving bar beside them", () => {
    const rounds = [1, 2, 3, 4].map((n) => [
      `  I run the tests again.   9:2${n} PM ${n > 2 ? "█" : "│"}`,
      `  ◆ Run a command (1.${n}s) ${n > 2 ? "█" : "│"}`,
      `  in 1.${n}K · out ${n}0 tokens`,
    ]);
    expect(read(["❯ Mend it.", ...rounds.flat()])?.times).toBe(4);
  });

  it("are still counted when they fill the screen", () => {
    const reader = new RepeatReader();
    expect([0, 1, 3, 5, 6, 8, 10].map((rows) => read(scrolled(rows), reader)?.times)).toEqual([3, 2, 2, 4, 3, 3, 5]);
  });

  it("are not counted while the screen is half painted", () => {
    const reader = new RepeatReader();
    const whole = times(5);
    const torn = whole.slice(0, -6);
    expect([whole, torn, whole, torn, whole].map((rows) => read(rows, reader)?.times)).toEqual([5, 4, 5, 4, 5]);
  });

  it("are counted if the same file is read too often for its pages, or with the same words each time", () => {
    expect(read(["❯ Mend it.", ...times(8, ["✓ read_file(big.ts)", "  200 lines"])])?.times).toBe(8);
    expect(read(["❯ Mend it.", ...times(4, ["● I look at it again.", "✓ read_file(big.ts)"])])?.times).toBe(4);
  });

  it("are counted from the start when other rows repeat", () => {
    const reader = new RepeatReader();
    for (const rows of [0, 3, 4]) read(scrolled(rows), reader);
    expect(read(times(2, ["● Another.", "✓ Read a.ts"]), reader)?.times).toBe(2);
  });

  it.each([
    ["a result that differs", [1, 2, 3, 4].flatMap((n) => ["✗ Shell node test.mjs", `  not ok: expected 3, got ${n}`])],
    ["another file each time", ["a", "b", "c", "d"].flatMap((name) => [`✓ Read ${name}.ts`, "  12 lines"])],
    ["one row", times(8, ["✓ ok"])],
    ["one row and empty ones", times(8, ["✓ ok", ""])],
    ["rows without a sign", times(8, ["GET /health 200", "GET /ready 200"])],
    ["a request that the user repeats", times(5, ["❯ go on", "● Done."])],
    ["a poll", times(8, ["● Bash(gh run view)", "  in progress"])],
    ["a poll that waits", times(8, ["● Bash(sleep 30; make check)", "  2 failed"])],
    ["a file that is read page by page", times(7, ["✓ read_file(big.ts)", "  200 lines"])],
    ["edits of one file", times(7, ["● Edit sum.mjs", "  └ 1 line changed"])],
    ["nothing", []],
    ["frames", times(8, ["╭──────╮", "╰──────╯"])],
  ])("do not include %s", (_, rows) => {
    expect(read(rows)).toBeUndefined();
  });
});
