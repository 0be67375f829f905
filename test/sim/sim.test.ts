/**
 * Days of eight agents with every kind of fault. A failing seed is printed; run it alone with ROUSE_SIM_SEED=that
 * npx vitest run test/sim/sim.test.ts, which also prints its history. ROUSE_SIM_SEED=201-300 runs others.
 */
import { describe, expect, it } from "vitest";
import { type Report, run } from "./run.js";

const FULL = process.env.ROUSE_FULL === "1";
const ASKED = process.env.ROUSE_SIM_SEED || null;
const ONE = ASKED !== null && !ASKED.includes("-") ? ASKED : null;
/** Beyond the first twenty: days with a fault that no other test had shown. */
const KNOWN = ["136", "241"];
const SEEDS =
  ONE !== null ? [ONE] : ASKED !== null ? seeds(ASKED) : FULL ? seeds("1-200") : [...seeds("1-5"), ...KNOWN];
const RUNS = Math.min(SEEDS.length, 2);

/** Sums over all seeds: a run without failures means something only if faults happened and work was done. */
const total: Record<string, number> = {};

function seeds(span: string): string[] {
  const [from = 1, to = from] = span.split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}

function failuresOf({ seed, violations, log }: Report): string[] {
  if (ONE !== null) console.log(log.join("\n"));
  return violations.slice(0, 5).map((text) => `seed ${seed}: ${text}`);
}

describe(`a day of eight agents, ${SEEDS.length} times`, () => {
  it.each(SEEDS)("keeps every promise under seed %s", { timeout: 1_200_000 }, async (seed) => {
    const report = await run(seed);
    for (const [name, count] of Object.entries(report.counts)) total[name] = (total[name] ?? 0) + count;
    expect(failuresOf(report)).toEqual([]);
  });

  it.skipIf(ONE !== null)("includes faults of every kind, and agents that recovered", () => {
    const wanted = ["lost", "late", "doubled", "reordered", "crash", "suspend", "jump", "store_down", "silent_host"];
    const calls = [
      "append crash_after",
      "save fail_before",
      "save crash_before",
      "effect hang_after",
      "effect fail_after",
    ];
    const notifier = ["report fail_after", "channel fail_after", "channel refused", "mute", "alerts twice"];
    const work = ["spells", "acted", "recovered", "escalated", "closed", "alerts"];
    const missing = [...wanted, "outage", "silence", ...calls, ...notifier, ...work].filter((name) => !total[name]);
    expect(missing, JSON.stringify(total)).toEqual([]);
    if (FULL) console.log(JSON.stringify(total));
  });

  it("is exactly the same when it is run again", { timeout: 1_200_000 }, async () => {
    for (const seed of SEEDS.slice(0, RUNS)) {
      const [first, second] = [
        await run(seed, { hours: 8, calmHours: 1 }),
        await run(seed, { hours: 8, calmHours: 1 }),
      ];
      expect(second.log).toEqual(first.log);
    }
  });
});
