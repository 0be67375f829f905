/**
 * Crash safety as in SQLite's tests: one call of the store or of an effect fails, in each possible way, for n = 1,
 * 2, …
 */
import { describe, expect, it } from "vitest";
import { CALL_FAULTS, CALM, type Call, type CallFault, NthFault } from "./faults.js";
import { Random } from "./random.js";
import { role } from "./run.js";
import { World } from "./world.js";

const FULL = process.env.ROUSE_FULL === "1";
/** Most saves only update the time of the last observation; the quick run samples them. */
const STRIDE: Readonly<Record<Call, number>> = FULL
  ? { append: 1, save: 1, effect: 1, report: 1, channel: 1 }
  : { append: 12, save: 5, effect: 1, report: 3, channel: 3 };

const SCRIPT = [
  { after: 120, agent: "hung", fault: "silent_stream" },
  { after: 200, agent: "dead", fault: "crash" },
  { after: 300, agent: "failed", fault: "api" },
] as const;

async function play(fault: NthFault): Promise<string[]> {
  const world = new World({
    random: new Random("sweep"),
    hours: 1.5,
    calmHours: 0,
    stepMs: 10_000,
    model: "linux",
    cast: [role("hung"), role("dead"), role("failed"), role("fine", { sound: true })],
    mix: CALM,
    script: SCRIPT,
    faults: fault,
  });
  try {
    await world.run();
    const missing = SCRIPT.filter(
      ({ agent }) => ![...world.invariants.incidents.values()].some((one) => one.agent === agent),
    );
    return [...world.invariants.violations, ...missing.map(({ agent }) => `nothing was told of ${agent}`)];
  } finally {
    world.close();
  }
}

/** Every nth call until there is no nth call. */
async function sweep(call: Call, kind: CallFault): Promise<{ runs: number; found: string[] }> {
  const found: string[] = [];
  for (let n = 1, runs = 1; ; n += STRIDE[call], runs++) {
    const fault = new NthFault(call, n, kind);
    const violations = await play(fault);
    found.push(...violations.map((text) => `${call} ${n} ${kind}: ${text}`));
    if (!fault.reached) return { runs, found };
  }
}

describe("when one call fails,", () => {
  const cases = (Object.keys(CALL_FAULTS) as Call[]).flatMap((call) =>
    CALL_FAULTS[call].map((kind) => [call, kind] as [Call, CallFault]),
  );
  it.each(cases)(
    "no action is repeated, no incident is lost and no unknown outcome is forgotten: %s %s",
    { timeout: 3_600_000 },
    async (call, kind) => {
      const { runs, found } = await sweep(call, kind);
      expect(found).toEqual([]);
      expect(runs).toBeGreaterThan(3);
    },
  );
});
