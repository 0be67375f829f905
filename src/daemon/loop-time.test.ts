import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { MODELS } from "../../test/support/hand-clock.js";
import { checkedAt, HOUR_MS, news, SILENT_S, TestLoop } from "../../test/support/loops.js";

let test: TestLoop;
afterEach(() => test.close());

describe("the loop's clock", () => {
  it("reports a silence at the time that the judgement named, without any signal", async () => {
    test = await TestLoop.working();
    test.run(80);
    expect(test.says()).toBe("working");
    test.run(SILENT_S - 80);
    expect(test.says()).toBe("stuck/silent_stream");
    expect(test.changes).toEqual(["api working", "api stuck/silent_stream"]);
  });

  it.each(MODELS)(
    "raises no alarm after a sleep of the machine, and still reports a later silence (%s)",
    async (model) => {
      test = await TestLoop.working(model);
      test.run(5);
      test.hand.sleep(2 * HOUR_MS);
      test.loop.tick();
      expect([test.says(), test.view().state]).toEqual(["working", "working"]);
      // The first minute after a gap does not count.
      test.run(60 + 80);
      expect(test.says()).toBe("working");
      test.run(SILENT_S - 80);
      expect(test.says()).toBe("stuck/silent_stream");
    },
  );

  it("raises no alarm when the daemon itself was stopped", async () => {
    test = await TestLoop.working();
    test.run(5);
    test.hand.pass(HOUR_MS);
    test.loop.tick();
    expect(test.says()).toBe("working");
  });

  it("raises no alarm when delayed signals arrive before the first tick after a sleep", async () => {
    test = await TestLoop.working();
    test.run(5);
    test.hand.sleep(2 * HOUR_MS);
    await test.send("s1", [{ kind: "output", source: "screen", bytes: 9 }]);
    expect(test.changes).toEqual(["api working"]);
    test.loop.tick();
    expect(test.changes).toEqual(["api working"]);
  });

  it.each([HOUR_MS, -HOUR_MS])("raises no alarm when the wall clock is set by %d ms", async (byMs) => {
    test = await TestLoop.working();
    test.run(5);
    test.hand.set(byMs);
    for (let n = 0; n < 40; n++) {
      test.run(5);
      await test.send("s1", news(n));
    }
    expect(test.changes).toEqual(["api working"]);
  });

  it.each(MODELS)(
    "raises no alarm whenever and however long the machine sleeps or its clock is set (%s)",
    async (model) => {
      const step = fc.oneof(
        { weight: 3, arbitrary: fc.record({ run: fc.integer({ min: 1, max: 40 }) }) },
        fc.record({ sleep: fc.integer({ min: 60_000, max: 72 * HOUR_MS }) }),
        fc.record({ stop: fc.integer({ min: 16_000, max: HOUR_MS }) }),
        fc.record({ set: fc.integer({ min: -365 * 24 * HOUR_MS, max: 365 * 24 * HOUR_MS }) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          test = await TestLoop.working(model);
          try {
            for (const [n, { run, sleep, stop, set }] of (steps as Partial<Record<string, number>>[]).entries()) {
              if (sleep) test.hand.sleep(sleep);
              if (stop) test.hand.pass(stop);
              if (set) test.hand.set(set);
              test.run(run ?? 1);
              // Signals after the wake-up arrive a moment later.
              test.run(5);
              await test.send("s1", news(n));
            }
            expect(test.changes).toEqual(["api working"]);
            const story = () => test.loop.find("api")?.timeline.map(({ state }) => state);
            expect(story()).toEqual(["working"]);
            test.start(checkedAt(test.loop.now()));
            expect(story()).toEqual(["working"]);
          } finally {
            test.close();
          }
        }),
        { numRuns: process.env.ROUSE_FULL ? 1000 : 15 },
      );
      test = new TestLoop(model);
    },
  );

  it("stores a gap, so that a later replay accounts for it", async () => {
    test = await TestLoop.working();
    test.hand.sleep(HOUR_MS);
    test.loop.tick();
    test.journal.flush();
    const kinds = [...test.journal.read("s1")].map(({ signal }) => signal.kind);
    expect(kinds).toEqual(["status", "screen", "gap"]);
  });
});
