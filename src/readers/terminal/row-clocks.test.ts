import { describe, expect, it } from "vitest";
import { rowOf } from "./row.js";
import { RowClocks } from "./row-clocks.js";

function ticksOf() {
  const ticks = new RowClocks();
  return {
    check: (rows: string[], at: number, staticRows = rows) => ticks.check(rows.map(rowOf), at, staticRows.map(rowOf)),
    ticking: (row: string, at: number) => ticks.ticking(rowOf(row), at),
    turning: (row: string, at: number) => ticks.turning(rowOf(row), at),
    inherits: (row: string, above: number, at: number) => ticks.inherits(rowOf(row), above, at),
    recordClock: (above: number, at: number) => ticks.recordClock(above, at),
  };
}

describe("a running clock", () => {
  it("is a row that stays the same except for its time", () => {
    const ticks = ticksOf();
    ticks.check(["⠋ Pondering (58s)"], 0);
    expect(ticks.ticking("⠋ Pondering (58s)", 0)).toBe(false);
    ticks.check(["⠙ Pondering (59s)"], 1000);
    expect(ticks.ticking("⠙ Pondering (59s)", 1000)).toBe(true);
    ticks.check(["⠙ Pondering (1m 0s)"], 2000);
    expect(ticks.ticking("⠙ Pondering (1m 0s)", 2000)).toBe(true);
  });

  it("is also a row whose rest is filled by a rule", () => {
    const ticks = ticksOf();
    ticks.check([" ⠼ 58s > a model ▶───8%─────"], 0);
    ticks.check([" ⠴ 59s > a model ▶───8%─────"], 1000);
    ticks.check([" ⠦ 1m > a model ▶────8%─────"], 2000);
    expect(ticks.ticking(" ⠦ 1m > a model ▶────8%─────", 2000)).toBe(true);
  });

  it("is also a row that stays the same except for the spinner before it", () => {
    const ticks = ticksOf();
    ticks.check([" ⠴ Working...", "- milk"], 0);
    expect(ticks.ticking(" ⠴ Working...", 0)).toBe(false);
    ticks.check([" ⠧ Working...", "- bread"], 1000);
    expect([" ⠧ Working...", "- bread"].map((row) => ticks.ticking(row, 1000))).toEqual([true, false]);
    expect([5000, 14_000].map((at) => ticks.ticking(" ⠧ Working...", at))).toEqual([true, false]);
  });

  it("is also a row that starts with any signs in sequence", () => {
    const ticks = ticksOf();
    const seen = ["◎", "○", "◉", "○"].map((sign, n) => {
      const rows = [`${sign} Working · 74 B`, `${n % 2 ? "●" : "○"} Read a file`, `${"✓☐◐"[n] ?? "✓"} Mend it`];
      ticks.check(rows, n * 750);
      return rows.map((row) => ticks.turning(row, n * 750));
    });
    expect(seen.map(([working]) => working)).toEqual([false, false, true, true]);
    expect(seen.every(([, blinks]) => !blinks)).toBe(true);
    expect(seen.at(-1)?.[2]).toBe(false);
    expect([10_000, 20_000].map((at) => ticks.ticking("○ Working · 74 B", at))).toEqual([true, false]);
  });

  it("stops when it no longer moves", () => {
    const ticks = ticksOf();
    ticks.check(["Running 1s"], 0);
    ticks.check(["Running 2s"], 1000);
    expect(ticks.ticking("Running 2s", 4400)).toBe(true);
    expect(ticks.ticking("Running 2s", 4600)).toBe(false);
  });

  it("is not the final times of two successive turns", () => {
    const ticks = ticksOf();
    ticks.check(["✻ Cooked for 4s"], 0);
    ticks.check(["✻ Cooked for 7s"], 20_000);
    expect(ticks.ticking("✻ Cooked for 7s", 20_000)).toBe(false);
  });

  it("is not the durations of two tools, one below the other", () => {
    const ticks = ticksOf();
    ticks.check([" Took 0.4s"], 0);
    ticks.check([" Took 0.1s"], 1000, [" Took 0.4s", "", " Took 0.1s"]);
    expect(ticks.ticking(" Took 0.1s", 1000)).toBe(false);
    ticks.check([" Took 0.4s", " Took 0.1s", " Took 0.3s"], 2000);
    expect([" Took 0.4s", " Took 0.3s"].map((row) => ticks.ticking(row, 2000))).toEqual([false, false]);
  });

  it("is not found without a time, or in a row longer than any status line", () => {
    const ticks = ticksOf();
    const long = (n: number) => `${"x".repeat(500)} ${n}s`;
    for (const [i, rows] of [
      ["step 1", long(1)],
      ["step 2", long(2)],
    ].entries())
      ticks.check(rows, i * 1000);
    expect([ticks.ticking("step 2", 1000), ticks.ticking(long(2), 1000)]).toEqual([false, false]);
  });

  it("is remembered for a bounded number of rows", () => {
    const ticks = ticksOf();
    ticks.check(["first 1s"], 0);
    ticks.check(
      Array.from({ length: 99 }, (_, i) => `${"row ".repeat(i + 1)} 1s`),
      500,
    );
    ticks.check(["first 2s"], 1000);
    expect(ticks.ticking("first 2s", 1000)).toBe(false);
  });

  it("identifies the next text of a status line by its place, if its clock ran a moment ago", () => {
    const ticks = ticksOf();
    const next = "✻ No answer yet, next try in 4m 14s";
    expect(ticks.inherits(next, 2, 1000)).toBe(false);
    ticks.recordClock(2, 1000);
    expect(ticks.inherits(next, 2, 3000)).toBe(true);
    expect(ticks.inherits(next, 3, 3000)).toBe(false);
    expect(ticks.inherits("The tests took 4m 14s", 2, 3000)).toBe(false);
    expect(ticks.inherits("✻ No answer yet", 2, 3000)).toBe(false);
    expect(ticks.inherits(next, 2, 9000)).toBe(false);
  });
});
