import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProcessSensor } from "../../src/sensors/process/process-sensor.js";
import { type ProcessRow, ProcessTable } from "../../src/sensors/process/process-table.js";
import { NO_TMUX } from "../support/tmux.js";

const FULL = process.env.ROUSE_FULL === "1";
const RECYCLES = FULL ? 1000 : 10;
const RACES = FULL ? 20 : 2;
/** A pid namespace in which numbers can be chosen; not every system permits one. */
const NAMESPACE = ["-Urpf", "--mount-proc"];
const canChoose =
  spawnSync("unshare", [...NAMESPACE, "sh", "-c", "echo 500 >/proc/sys/kernel/ns_last_pid"]).status === 0;

describe("a process number that was reused", () => {
  it.skipIf(!canChoose)(`is not signalled in ${RECYCLES} forced cases (skipped if no namespace is available)`, () => {
    const script = join(import.meta.dirname, "recycle.mjs");
    const ran = spawnSync("unshare", [...NAMESPACE, process.execPath, script, String(RECYCLES)], {
      encoding: "utf8",
    });
    expect(ran.stderr).toBe("");
    expect(JSON.parse(ran.stdout)).toEqual({ recycled: RECYCLES, fooled: 0 });
  });

  // An agent that dies at some moment of an action, spread over its whole duration.
  describe.concurrent(`${RACES} times`, () => {
    const ways = NO_TMUX ? ["host"] : ["host", "tmux"];
    it.skipIf(!canChoose).each(ways.flatMap((way) => [`${way} nudge`, `${way} stop`]))(
      "receives neither a signal nor a key in the middle of an action: %s",
      { timeout: 900_000 },
      async (what) => {
        const folder = mkdtempSync(join(tmpdir(), "rouse-recycled-"));
        try {
          const script = join(import.meta.dirname, "recycled-agent.mjs");
          const args = [...NAMESPACE, process.execPath, script, ...what.split(" "), String(RACES), folder];
          const { stdout } = await promisify(execFile)("unshare", args);
          expect(JSON.parse(stdout)).toMatchObject({ recycled: RACES, harm: [] });
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
  });

  it("is not taken for the watched process, whatever its process tree", async () => {
    const pid = fc.integer({ min: 2, max: 60 });
    const row = fc.record({ pid, ppid: pid, sid: pid, start: fc.constantFrom("1", "2", "3"), state: fc.constant("S") });
    const property = fc.asyncProperty(fc.array(row, { maxLength: 12 }), pid, async (rows, judge) => {
      const filled = rows.map((one): ProcessRow => ({ ...one, tty: null, startedAt: 1, cpuMs: 5, comm: "x" }));
      const table = new ProcessTable(new Map(filled.map((one) => [one.pid, one])));
      const sensor = new ProcessSensor({ readTable: async () => table, socketsEveryMs: 0 });
      await sensor.refresh(1);
      const sample = sensor.sample({ pid: judge, start: "0" }, 1);
      expect(sample.alive).toBe(false);
      if (table.rows.has(judge)) expect(sample).toMatchObject({ children: 0, cpuMs: 0 });
    });
    await fc.assert(property, { numRuns: FULL ? 100_000 : 1000 });
  });
});
