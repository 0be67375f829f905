/** The live table: `npm run test:real -- --cell codex/hang/tmux`. One cell at a time; see docs/evidence/live.md. */
import { loadavg } from "node:os";
import { describe, expect, it } from "vitest";
import { RULESET } from "../../src/core/index.js";
import { CLAUDE_CODE } from "./clients/claude-code.js";
import type { Client } from "./clients/client.js";
import { CODEX } from "./clients/codex.js";
import { GEMINI } from "./clients/gemini.js";
import { install } from "./clients/install.js";
import { OPENCODE } from "./clients/opencode.js";
import { Load } from "./live/busy.js";
import { cellsFor, keep, pathOf } from "./live/results.js";
import { runCell } from "./live/run-cell.js";
import { type ProgramName, type Situation, situationOf } from "./live/situations.js";

const CLIENTS: Record<ProgramName, Client> = {
  "claude-code": CLAUDE_CODE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};

const { ROUSE_REAL_CELL = "", ROUSE_REAL_TIMES, ROUSE_REAL_LOAD, ROUSE_REAL_UNTIL } = process.env;
const TIMES = Number(ROUSE_REAL_TIMES) || 1;
const LOAD = Number(ROUSE_REAL_LOAD) || 0;
const CELLS = cellsFor(ROUSE_REAL_CELL).filter(
  ({ program, situation, way }) => typeof situationOf(program, situation, way) !== "string",
);
const RUNS = CELLS.flatMap((cell) => Array.from({ length: TIMES }, (_, i) => ({ cell, run: i + 1 })));

describe("a cell of the live table", () => {
  it.each(RUNS.map(({ cell, run }) => ({ cell, run, path: pathOf(cell) })))("$path, run $run", async ({ cell }) => {
    const installed = await install(CLIENTS[cell.program]);
    const situation = situationOf(cell.program, cell.situation, cell.way) as Situation;
    const load = Load.start(LOAD);
    const isRecoveryAwaited = ROUSE_REAL_UNTIL !== "report";
    const outcome = await runCell(installed, cell.situation, cell.way, situation, isRecoveryAwaited).finally(() =>
      load.stop(),
    );
    const { misses, keptTask, starvedS, story } = outcome;
    const delay = outcome.delays.at(-1) ?? null;
    keep(cell, installed.version, {
      date: new Date().toISOString().slice(0, 10),
      ruleset: RULESET,
      load: LOAD,
      load_average: Math.round(loadavg()[0] ?? 0),
      verdict: misses.length === 0 ? "right" : "missed",
      delay: delay === null ? null : Math.round(delay * 10) / 10,
      starved_s: Math.round(starvedS),
      kept_task: keptTask,
      miss: misses.map((miss) => miss.slice(0, 300)).join("; ") || null,
    });
    expect(misses, story).toEqual([]);
  });
});
