import { describe, expect, it } from "vitest";
import { rowOf } from "./row.js";
import { StaticRows } from "./standing.js";

function standingRows() {
  const standing = new StaticRows();
  return {
    see: (rows: string[], top: number) => standing.see(rows.map(rowOf), top),
    isStanding: (row: string) => standing.isStanding(rowOf(row)),
  };
}

const PLACE = " ~/project [main]";
const above = (...rows: string[]) => [...rows, "", PLACE, "─────────", "❯"];

describe("a row that a program keeps above its composer", () => {
  it("is known when three others have stood above it", () => {
    const standing = standingRows();
    const seen = ["Welcome.", "● Hello", "● Hello, there", "● Done."].map((row) => {
      const rows = above(row);
      return standing.see(rows, rows.length - 2);
    });
    expect(seen).toEqual([false, false, true, false]);
    expect([PLACE, "● Done."].map((row) => standing.isStanding(row))).toEqual([true, false]);
  });

  it("is forgotten when it goes", () => {
    const standing = standingRows();
    for (const row of ["a", "b", "c"]) standing.see(above(row), 3);
    expect(standing.see(["● Done.", "", "❯"], 2)).toBe(true);
    expect([PLACE, "● Done."].map((row) => standing.isStanding(row))).toEqual([false, false]);
  });

  it("is not the last line of a text, nor one that comes back", () => {
    const standing = standingRows();
    for (const row of ["a", "b", "c", "d"]) standing.see([row, "the end", "❯"], 2);
    expect(standing.isStanding("the end")).toBe(false);
    for (const row of ["a", "b", "c", "d"]) {
      standing.see([row, "", "Error: 401", "❯"], 3);
      standing.see([row, "", "⠋ Working", "❯"], 3);
    }
    expect(standing.isStanding("Error: 401")).toBe(false);
  });

  it("is nothing on an empty screen", () => {
    expect(standingRows().see(["", "", "❯"], 2)).toBe(false);
  });
});
