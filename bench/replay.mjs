/** Whole recordings through reading and judging, against the time they took to record. */
import { join } from "node:path";
import { SOURCE_NAMES } from "../dist/replay/case-folder.js";
import { replayCase } from "../dist/replay/replay-case.js";
import { casesIn, FIXTURES, readRecording } from "./recordings.mjs";

export async function benchReplay({ rounds }) {
  const roots = { fixtures: FIXTURES };
  const corpus = process.env.ROUSE_CORPUS;
  if (corpus) roots.corpus = join(corpus, "live");
  const results = [];
  for (const [name, root] of Object.entries(roots)) {
    const cases = casesIn(root);
    if (cases.length === 0) continue;
    const seconds = cases.reduce((sum, folder) => sum + (readRecording(folder)?.seconds ?? 0), 0);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const from = performance.now();
      for (const folder of cases) await replayCase(folder, { sources: new Set(SOURCE_NAMES), zone: "UTC" });
      best = Math.min(best, performance.now() - from);
    }
    results.push({
      name: `replay of ${cases.length} cases (${name}, ${Math.round(seconds)} s recorded)`,
      figure: seconds / (best / 1000),
      unit: "× real time",
      relation: ">=",
      bar: 1000,
      detail: { ms: best },
    });
  }
  return results;
}
