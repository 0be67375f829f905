/**
 * Writes every decision, action, outcome, alert and message of a few seeded days to ROUSE_SIM_DUMP, one JSON line per seed.
 * `npm run check:timelines` runs this file in two commits and compares the lines.
 */
import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { run } from "./run.js";

const SEEDS = ["1", "2", "3", "136"];

it.each(SEEDS)("writes the records of seed %s", { timeout: 1_200_000 }, async (seed) => {
  const { records } = await run(seed);
  expect(records.length).toBeGreaterThan(0);
  const path = process.env.ROUSE_SIM_DUMP;
  if (!path) throw new Error("ROUSE_SIM_DUMP has to name a file");
  appendFileSync(path, `${JSON.stringify({ part: "simulator", case: `seed ${seed}`, entries: records })}\n`);
});
