import { describe, expect, it } from "vitest";
import { rowOf } from "./row.js";
import { StaticRows } from "./static-rows.js";

function staticRowsOf() {
  const staticRows = new StaticRows();
  return {
    see: (rows: string[], top: number) => staticRows.see(rows.map(rowOf), top),
    isStatic: (row: string) => staticRows.isStatic(rowOf(row)),
  };
}

const PLACE = " ~/project [main]";
const above = (...rows: string[]) => [...rows, "", PLACE, "─────────", "❯"];

describe("a row that a program keeps above its composer", () => {
  it("is known after three different rows above it", () => {
    const staticRows = staticRowsOf();
    const seen = ["Welcome.", "● Hello", "● Hello, there", "● Done."].map((row) => {
      const rows = above(row);
      return staticRows.see(rows, rows.length - 2);
    });
    expect(seen).toEqual([false, false, true, false]);
    expect([PLACE, "● Done."].map((row) => staticRows.isStatic(row))).toEqual([true, false]);
  });

  it("is dropped when it disappears", () => {
    const staticRows = staticRowsOf();
    for (const row of ["a", "b", "c"]) staticRows.see(above(row), 3);
    expect(staticRows.see(["● Done.", "", "❯"], 2)).toBe(true);
    expect([PLACE, "● Done."].map((row) => staticRows.isStatic(row))).toEqual([false, false]);
  });

  it("is not the last line of a text, nor a row that returns", () => {
    const staticRows = staticRowsOf();
    for (const row of ["a", "b", "c", "d"]) staticRows.see([row, "the end", "❯"], 2);
    expect(staticRows.isStatic("the end")).toBe(false);
    for (const row of ["a", "b", "c", "d"]) {
      staticRows.see([row, "", "Error: 401", "❯"], 3);
      staticRows.see([row, "", "⠋ Working", "❯"], 3);
    }
    expect(staticRows.isStatic("Error: 401")).toBe(false);
  });

  it("is absent on an empty screen", () => {
    expect(staticRowsOf().see(["", "", "❯"], 2)).toBe(false);
  });
});
