import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openHub } from "../hub/open.js";
import { explainNext } from "./planner.js";

const task = (id: number, priority = 0, waitsFor: number[] = []) => ({ id, priority, waitsFor });

describe("the reason of the next task", () => {
  it("is its priority if that is the highest", () => {
    expect(explainNext(task(2, 5), [task(1), task(2, 5), task(3)])).toEqual(["highest priority (5) of 3 tasks"]);
  });

  it("is its age among tasks of the same priority", () => {
    expect(explainNext(task(1), [task(1), task(2)])).toEqual(["oldest of 2 tasks with priority 0"]);
    expect(explainNext(task(2, 5), [task(1), task(2, 5), task(3, 5)])).toEqual([
      "oldest of 2 tasks with the highest priority (5)",
    ]);
  });

  it("names what waits for other tasks, at most five of them", () => {
    expect(explainNext(task(3), [task(3), task(4, 9, [3, 7])])).toEqual([
      "the only task that is ready",
      "#4 waits for #3, #7",
    ]);
    const many = Array.from({ length: 8 }, (_, at) => task(at + 1, 0, [20]));
    expect(explainNext(null, many).at(-1)).toBe("3 more wait for other tasks");
  });

  it("agrees with the hub's choice for any queue", { timeout: 120_000 }, async () => {
    const queue = fc.array(fc.record({ priority: fc.integer({ min: 0, max: 2 }), blocker: fc.nat({ max: 8 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(queue, async (tasks) => {
        const state = mkdtempSync(join(tmpdir(), "rouse-planner-"));
        const hub = await openHub({ state, node: "lab" });
        try {
          await hub.join({ instance: "i", version: "1" });
          for (const [at, { priority, blocker }] of tasks.entries())
            await hub.add({ title: "x", priority, blockedBy: blocker > 0 && blocker <= at ? [blocker] : [] }, "user");
          const pending = await hub.list({ status: ["pending"] });
          const next = await hub.next();
          const ready = pending.filter(({ waitsFor }) => waitsFor.length === 0);
          expect(next?.id).toBe(ready[0]?.id);
          expect(next?.priority).toBe(Math.max(...ready.map(({ priority }) => priority)));
          expect(explainNext(next, pending).length).toBeGreaterThan(0);
        } finally {
          await hub.close();
          rmSync(state, { recursive: true, force: true });
        }
      }),
      { numRuns: 15 },
    );
  });
});
