import { describe, expect, it } from "vitest";
import { ALL_CELLS, type CellRun, cellsFor, pageOf, pathOf } from "./results.js";
import { situationOf } from "./situations.js";

const run = (fields: Partial<CellRun>): CellRun => ({
  date: "2026-11-17",
  ruleset: 11,
  load: 0,
  load_average: 3,
  verdict: "right",
  delay: 97.25,
  kept_task: null,
  miss: null,
  ...fields,
});

describe("the live table", () => {
  it("finds one cell by its path, and several by a star, a list or a missing part", () => {
    expect(cellsFor("codex/hang/tmux").map(pathOf)).toEqual(["codex/hang/tmux"]);
    expect(cellsFor("codex/hang,kill/spawn").map(pathOf)).toEqual(["codex/hang/spawn", "codex/kill/spawn"]);
    expect(cellsFor("*/hang/spawn")).toHaveLength(4);
    expect(cellsFor("gemini/loop")).toHaveLength(3);
    expect(() => cellsFor("codex/hangs/tmux")).toThrow("no cell is called codex/hangs/tmux");
  });

  it("has a situation or a reason for every cell", () => {
    expect(ALL_CELLS).toHaveLength(108);
    for (const { program, situation, way } of ALL_CELLS) expect(situationOf(program, situation, way)).toBeTruthy();
  });

  it("shows the number of runs, the slowest report, and every miss", () => {
    const miss = run({ verdict: "missed", delay: null, load: 20, miss: "no recovery | within 720 s" });
    const page = pageOf({ "codex/hang/spawn": { "0.166.0": [run({ kept_task: true }), run({ delay: 101 }), miss] } });
    expect(page).toContain("| hang | not run | **2 of 3, 101.0 s; task kept 1 of 1** | not run | not run |");
    expect(page).toContain(
      "- codex/hang/spawn 0.166.0, 2026-11-17, ruleset 11, load average 3, 20 busy processes: no recovery \\| within 720 s",
    );
  });
});
