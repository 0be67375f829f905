/** The fast clock of the demo, in a real process. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const CLOCK = pathToFileURL(join(import.meta.dirname, "..", "dist", "demo", "fast-time.js"));

/** The output of the code on a clock that runs `times` as fast since `since`. */
function on(times: number, since: number, code: string): unknown {
  const args = [`--import=${CLOCK.href}?since=${since}&times=${times}`, "--input-type=module", "-e", code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

describe("the demo's clock", () => {
  it("speeds up every clock and wait of a process by one factor, and the system's own by none", () => {
    const code = `
      import { setTimeout as sleep } from "node:timers/promises";
      const read = () => ({ date: Date.now(), fresh: new Date().getTime(), steady: performance.now(), real: Number(process.hrtime.bigint()) / 1e6 });
      const before = read();
      await sleep(3000);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await new Promise((resolve) => { let n = 0; const timer = setInterval(() => { if (++n === 3) { clearInterval(timer); resolve(); } }, 1000); });
      const after = read();
      console.log(JSON.stringify(Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]))));`;
    const took = on(50, Date.now(), code) as Record<"date" | "fresh" | "steady" | "real", number>;
    expect(took.date).toBeGreaterThanOrEqual(8500);
    for (const clock of [took.date, took.fresh, took.steady]) {
      expect(clock / took.real).toBeGreaterThan(40);
      expect(clock / took.real).toBeLessThan(60);
    }
  });

  it("shows the same time in every process, and does not change given dates", () => {
    const since = Date.now() - 60_000;
    const code = `console.log(JSON.stringify([Date.now(), new Date(5).getTime(), Date.UTC(2026, 0), new Date() instanceof Date, typeof Date()]))`;
    const [first] = on(10, since, code) as [number, ...unknown[]];
    const [second, ...rest] = on(10, since, code) as [number, ...unknown[]];
    expect(first).toBeGreaterThanOrEqual(since + 600_000);
    expect(second).toBeGreaterThanOrEqual(first);
    expect(rest).toEqual([5, Date.UTC(2026, 0), true, "string"]);
  });
});
