import { afterEach, describe, expect, it } from "vitest";
import { MODELS } from "../../test/support/hand-clock.js";
import { agent, checkedAt, HOUR_MS, news, SILENT_S, TestLoop, WORKING } from "../../test/support/loops.js";
import { START, screen } from "../../test/support/steps.js";
import type { Signal } from "../core/signal.js";
import { loadSqlite } from "../store/sqlite.js";

let test: TestLoop;
afterEach(() => test.close());

describe("the loop after a restart", () => {
  it("has the same knowledge as before", async () => {
    test = new TestLoop();
    const states: [string, readonly Parameters<TestLoop["send"]>[1][number][]][] = [
      ["a", WORKING],
      ["b", [...WORKING, { kind: "prompt", source: "screen", open: true, prompt: "permission", question: "Push?" }]],
      ["c", [...WORKING, { kind: "exit", source: "process", code: null, signal: 9 }]],
      ["d", [{ kind: "limit", source: "transcript", level: "hit", until: START + HOUR_MS, text: "limit" }]],
    ];
    for (const [session, signals] of states) {
      test.loop.register(agent({ id: session, name: session }));
      await test.send(session, signals);
    }
    const before = states.map(([name]) => test.says(name));
    expect(before).toEqual(["working", "needs_input/permission", "gone/crash", "rate_limited/limit"]);
    test.hand.pass(2000);
    test.start();
    expect(states.map(([name]) => test.says(name))).toEqual(before);
  });

  it("invents no state for an agent that had run for minutes before rouse knew it", async () => {
    test = new TestLoop();
    test.hand.pass(5 * 60_000);
    test.loop.register(agent({ id: "s1", name: "api", startedAt: START }));
    await test.send("s1", WORKING);
    const timeline = () => test.loop.find("s1")?.timeline.map(({ t, state }) => [t, state]);
    const before = timeline();
    expect(before?.map(([, state]) => state)).toEqual(["working"]);
    test.restart();
    expect(timeline()).toEqual(before);
  });

  it("knows nothing from before a batch that was damaged, asks for that agent's screen, and accuses nothing", async () => {
    test = await TestLoop.working();
    test.loop.register(agent({ id: "s2", name: "web" }));
    await test.send("s2", WORKING);
    test.run(5);
    await test.send("s1", [{ kind: "status", source: "title", status: "idle" }]);
    test.run(5);
    test.journal.close();
    const database = loadSqlite().open(test.journalPath);
    database.exec(
      "update batches set signals = replace(signals, 'idle', 'done') where signals like '%\"status\":\"idle\"%'",
    );
    database.close();
    test.changes.length = 0;
    test.restart();
    expect([test.says("api"), test.says("web"), [...test.loop.incomplete]]).toEqual(["unknown", "working", ["s1"]]);
    test.run(SILENT_S);
    expect(test.says("api")).toBe("unknown");
    expect(test.changes.filter((change) => /api stuck/.test(change))).toEqual([]);
  });

  it.each(MODELS)("raises no alarm from unobserved time (%s)", async (model) => {
    test = await TestLoop.working(model);
    test.hand.pass(3 * HOUR_MS);
    test.changes.length = 0;
    test.start();
    test.loop.tick();
    expect([test.says(), test.view().state, test.changes]).toEqual(["working", "working", []]);
    test.run(60 + 80);
    expect(test.says()).toBe("working");
    test.run(SILENT_S - 80);
    expect(test.says()).toBe("stuck/silent_stream");
  });

  it.each(MODELS)(
    "reports no problem for a night in which the machine slept, live and after a restart (%s)",
    async (model) => {
      test = await TestLoop.working(model);
      test.run(5);
      test.hand.sleep(8 * HOUR_MS);
      test.run(10);
      await test.send("s1", news(1));
      const story = () => test.loop.find("api")?.timeline.map(({ state }) => state);
      expect(story()).toEqual(["working"]);
      test.start();
      expect(story()).toEqual(["working"]);
    },
  );

  it("gives the same history as before: states, times and tokens", async () => {
    test = await TestLoop.working();
    test.run(30);
    await test.send("s1", [{ kind: "tokens", source: "transcript", input: 900, output: 100 }, ...news(1)]);
    test.run(SILENT_S);
    await test.send("s1", [{ kind: "prompt", source: "screen", open: true, prompt: "permission", question: "Push?" }]);
    test.run(7);
    await test.send("s1", [{ kind: "prompt", source: "screen", open: false }, ...news(2)]);
    const reported = () => {
      const { state, cause, since, tokens_per_hour } = test.view();
      const timeline = test.loop.find("api")?.timeline.map((entry) => [Math.round(entry.t), entry.state, entry.cause]);
      return { state, cause, since, tokens_per_hour, timeline };
    };
    const before = reported();
    expect(before.timeline).toHaveLength(4);
    test.start(checkedAt(test.loop.now()));
    expect(reported()).toEqual(before);
  });

  it.each(MODELS)("raises no alarm from unobserved time after the wall clock was set back (%s)", async (model) => {
    test = new TestLoop(model);
    test.loop.register(agent());
    await test.send("s1", [screen({})]);
    test.run(900);
    test.hand.set(-600_000);
    test.run(300);
    let at = 0;
    test.restart(() => {
      test.hand.pass(150_000);
      at = test.hand.wall;
      test.hand.pass(SILENT_S * 1000);
    });
    // The last observation is later than the wall clock is now, and all stored signals are older.
    const begun = WORKING.map((signal) => ({ ...signal, at }));
    // The host's signals arrive first, those of the daemon's sensors a moment later.
    await test.send("s1", begun);
    expect(test.says()).toBe("working");
  });

  it.each(MODELS)("raises no alarm when the wall clock was set back before a restart (%s)", async (model) => {
    test = await TestLoop.working(model);
    test.hand.set(-600_000);
    test.run(60);
    await test.send("s1", news(1));
    test.hand.pass(100_000);
    test.hand.again();
    test.start();
    // Sent while no daemon was running.
    test.hand.pass(1000);
    await test.send("s1", [...news(2), { kind: "turn", source: "hook", phase: "start" }]);
    test.run(60);
    expect(test.says()).toBe("working");
    expect(test.changes).toEqual(["api working"]);
  });

  it("keeps a problem that only time had shown, if the time of the last observation is known", async () => {
    test = await TestLoop.working();
    test.run(SILENT_S);
    const { since } = test.view();
    const checked = test.loop.now();
    test.hand.pass(3000);
    test.start(checkedAt(checked));
    expect([test.says(), test.view().since]).toEqual(["stuck/silent_stream", since]);
  });

  it("ignores a last observation that lies in the future", async () => {
    test = await TestLoop.working();
    test.run(5);
    test.start(checkedAt(test.loop.now() + 10 * HOUR_MS));
    expect(test.says()).toBe("working");
  });

  it("resumes after the last signal acknowledged to the host, and judges none twice", async () => {
    test = await TestLoop.working();
    test.start();
    expect(test.loop.register(agent())).toBe(WORKING.length);
    const again = WORKING.map((signal) => ({ ...signal, at: START }) as Signal);
    expect(await test.loop.ingest("s1", 1, again)).toBe(WORKING.length);
    expect([...test.journal.read("s1")].filter(({ seq }) => seq !== null)).toHaveLength(WORKING.length);
  });
});
