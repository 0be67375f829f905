import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { ClockModel } from "../../test/support/hand-clock.js";
import { agent, TestLoop, WORKING } from "../../test/support/loops.js";
import { START, screen } from "../../test/support/steps.js";
import type { Signal } from "../core/signal.js";
import { viewOf } from "./view.js";
import type { Watched } from "./watched.js";

const MODELS: readonly ClockModel[] = ["linux", "macos"];
const HOUR_MS = 3_600_000;
/** Longer than any silence of a reply that is healthy. */
const SILENT_S = 130;

let test: TestLoop;
afterEach(() => test.close());

async function working(model: ClockModel = "linux"): Promise<void> {
  test = new TestLoop(model);
  test.loop.register(agent());
  await test.send("s1", WORKING);
}

const view = () => viewOf(test.loop.find("api") as Watched, test.loop.now());
const news = (n: number) => [screen({ busy: true, moving: true, replying: true, reply: `words ${n}` })];

describe("the loop's time", () => {
  it("tells a silence at the moment that the judgement named, without any signal", async () => {
    await working();
    test.run(80);
    expect(test.says()).toBe("working");
    test.run(SILENT_S - 80);
    expect(test.says()).toBe("stuck/silent_stream");
    expect(test.changes).toEqual(["api working", "api stuck/silent_stream"]);
  });

  it.each(MODELS)(
    "accuses nobody after a sleep of the machine, and still tells a silence later (%s)",
    async (model) => {
      await working(model);
      test.run(5);
      test.hand.sleep(2 * HOUR_MS);
      test.loop.tick();
      expect([test.says(), view().state]).toEqual(["working", "working"]);
      // The first minute after it does not count.
      test.run(60 + 80);
      expect(test.says()).toBe("working");
      test.run(SILENT_S - 80);
      expect(test.says()).toBe("stuck/silent_stream");
    },
  );

  it("accuses nobody when the daemon itself stood still", async () => {
    await working();
    test.run(5);
    test.hand.pass(HOUR_MS);
    test.loop.tick();
    expect(test.says()).toBe("working");
  });

  it("accuses nobody when what was sent meanwhile comes before the first tick after a sleep", async () => {
    await working();
    test.run(5);
    test.hand.sleep(2 * HOUR_MS);
    await test.send("s1", [{ kind: "output", source: "screen", bytes: 9 }]);
    expect(test.changes).toEqual(["api working"]);
    test.loop.tick();
    expect(test.changes).toEqual(["api working"]);
  });

  it.each([HOUR_MS, -HOUR_MS])("accuses nobody when the wall clock is set by %d ms", async (byMs) => {
    await working();
    test.run(5);
    test.hand.set(byMs);
    for (let n = 0; n < 40; n++) {
      test.run(5);
      await test.send("s1", news(n));
    }
    expect(test.changes).toEqual(["api working"]);
  });

  it.each(MODELS)(
    "accuses nobody whenever the machine sleeps or its clock is set, for however long (%s)",
    async (model) => {
      const step = fc.oneof(
        { weight: 3, arbitrary: fc.record({ run: fc.integer({ min: 1, max: 40 }) }) },
        fc.record({ sleep: fc.integer({ min: 60_000, max: 72 * HOUR_MS }) }),
        fc.record({ stop: fc.integer({ min: 16_000, max: HOUR_MS }) }),
        fc.record({ set: fc.integer({ min: -365 * 24 * HOUR_MS, max: 365 * 24 * HOUR_MS }) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          await working(model);
          try {
            for (const [n, { run, sleep, stop, set }] of (steps as Partial<Record<string, number>>[]).entries()) {
              if (sleep) test.hand.sleep(sleep);
              if (stop) test.hand.pass(stop);
              if (set) test.hand.set(set);
              test.run(run ?? 1);
              // What the machine wakes up to comes a moment later.
              test.run(5);
              await test.send("s1", news(n));
            }
            expect(test.changes).toEqual(["api working"]);
            const story = () => test.loop.find("api")?.timeline.map(({ state }) => state);
            expect(story()).toEqual(["working"]);
            test.start(test.loop.now());
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

  it("stores a gap, so that a later fold knows of it too", async () => {
    await working();
    test.hand.sleep(HOUR_MS);
    test.loop.tick();
    test.journal.flush();
    const kinds = [...test.journal.read("s1")].map(({ signal }) => signal.kind);
    expect(kinds).toEqual(["status", "screen", "gap"]);
  });
});

describe("the loop after a restart", () => {
  it("knows what was known before", async () => {
    test = new TestLoop();
    const states: [string, readonly Parameters<TestLoop["send"]>[1][number][]][] = [
      ["a", WORKING],
      ["b", [...WORKING, { kind: "prompt", source: "screen", open: true, prompt: "permission", question: "Push?" }]],
      ["c", [...WORKING, { kind: "exit", source: "process", code: null, signal: 9 }]],
      ["d", [{ kind: "limit", source: "transcript", level: "hit", until: START + HOUR_MS, text: "limit" }]],
    ];
    for (const [session, signals] of states) {
      test.loop.register(agent({ session, name: session }));
      await test.send(session, signals);
    }
    const before = states.map(([name]) => test.says(name));
    expect(before).toEqual(["working", "needs_input/permission", "gone/crash", "rate_limited/limit"]);
    test.hand.pass(2000);
    test.start();
    expect(states.map(([name]) => test.says(name))).toEqual(before);
  });

  it.each(MODELS)("raises no alarm from the time in which it did not look (%s)", async (model) => {
    await working(model);
    test.hand.pass(3 * HOUR_MS);
    test.changes.length = 0;
    test.start();
    test.loop.tick();
    expect([test.says(), view().state, test.changes]).toEqual(["working", "working", []]);
    test.run(60 + 80);
    expect(test.says()).toBe("working");
    test.run(SILENT_S - 80);
    expect(test.says()).toBe("stuck/silent_stream");
  });

  it.each(MODELS)("tells no trouble of a night that it slept through and stored (%s)", async (model) => {
    await working(model);
    test.run(5);
    test.hand.sleep(8 * HOUR_MS);
    test.run(10);
    await test.send("s1", news(1));
    const story = () => test.loop.find("api")?.timeline.map(({ state }) => state);
    expect(story()).toEqual(["working"]);
    test.start();
    expect(story()).toEqual(["working"]);
  });

  it("tells the same story as before: states, times, tokens", async () => {
    await working();
    test.run(30);
    await test.send("s1", [{ kind: "tokens", source: "transcript", input: 900, output: 100 }, ...news(1)]);
    test.run(SILENT_S);
    await test.send("s1", [{ kind: "prompt", source: "screen", open: true, prompt: "permission", question: "Push?" }]);
    test.run(7);
    await test.send("s1", [{ kind: "prompt", source: "screen", open: false }, ...news(2)]);
    const told = () => {
      const { state, cause, since, tokens_per_hour } = view();
      const timeline = test.loop.find("api")?.timeline.map((entry) => [Math.round(entry.t), entry.state, entry.cause]);
      return { state, cause, since, tokens_per_hour, timeline };
    };
    const before = told();
    expect(before.timeline).toHaveLength(4);
    test.start(test.loop.now());
    expect(told()).toEqual(before);
  });

  it.each(MODELS)(
    "accuses nobody from the time in which it did not look when the wall clock was set back before (%s)",
    async (model) => {
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
      // The last look was later than the wall clock is now, and all that is stored is older.
      const begun = WORKING.map((signal) => ({ ...signal, at }));
      // What its host saw comes first, what others saw of its work a moment later.
      await test.send("s1", begun);
      expect(test.says()).toBe("working");
    },
  );

  it("keeps a trouble that time alone had shown, when it is known until when somebody looked", async () => {
    await working();
    test.run(SILENT_S);
    const { since } = view();
    const looked = test.loop.now();
    test.hand.pass(3000);
    test.start(looked);
    expect([test.says(), view().since]).toEqual(["stuck/silent_stream", since]);
  });

  it("does not believe a last look in the future", async () => {
    await working();
    test.run(5);
    test.start(test.loop.now() + 10 * HOUR_MS);
    expect(test.says()).toBe("working");
  });

  it("goes on where the host was acknowledged, and judges nothing twice", async () => {
    await working();
    test.start();
    expect(test.loop.register(agent())).toBe(WORKING.length);
    const again = WORKING.map((signal) => ({ ...signal, at: START }) as Signal);
    expect(await test.loop.ingest("s1", 1, again)).toBe(WORKING.length);
    expect([...test.journal.read("s1")].filter(({ seq }) => seq !== null)).toHaveLength(WORKING.length);
  });
});

describe("the loop's sessions", () => {
  it("takes nothing for a session that nobody registered", async () => {
    test = new TestLoop();
    expect(await test.send("s1", WORKING)).toBeNull();
  });

  it("judges nothing that could not be stored", async () => {
    await working();
    test.journal.append = () => Promise.reject(new Error("disk full"));
    await expect(test.send("s1", [{ kind: "exit", source: "process", code: 1, signal: null }])).rejects.toThrow(
      "disk full",
    );
    expect(test.says()).toBe("working");
  });

  it("accuses nobody while nothing can be stored: it is blind, says why, and sees again when the store does", async () => {
    await working();
    test.run(50);
    const append = test.journal.append.bind(test.journal);
    test.journal.append = () => Promise.reject(new Error("disk full"));
    await expect(test.send("s1", news(1))).rejects.toThrow("disk full");
    test.run(600);
    expect([test.says(), test.changes]).toEqual(["unknown", ["api working", "api unknown"]]);
    expect(view().blind?.reason).toBe("what it sends cannot be stored");
    test.journal.append = append;
    await test.send("s1", news(2));
    test.run(2);
    expect(test.says()).toBe("working");
  });

  it("speaks of an agent by its newest session: the crash of an older one is history, also after a restart", async () => {
    await working();
    await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
    test.loop.register(agent({ endedAt: test.loop.now() }));
    // Its clock may even say that it was started before.
    test.loop.register(agent({ session: "s2", startedAt: START - 5000 }));
    await test.send("s2", WORKING);
    test.changes.length = 0;
    test.start();
    test.run(30);
    expect(test.changes).toEqual([]);
    expect(test.says()).toBe("working");
  });

  it.each(MODELS)("accuses nobody when the wall clock was set back before a restart (%s)", async (model) => {
    await working(model);
    test.hand.set(-600_000);
    test.run(60);
    await test.send("s1", news(1));
    test.hand.pass(100_000);
    test.hand.anew();
    test.start();
    // Sent while no daemon ran.
    test.hand.pass(1000);
    await test.send("s1", [...news(2), { kind: "turn", source: "hook", phase: "start" }]);
    test.run(60);
    expect(test.says()).toBe("working");
    expect(test.changes).toEqual(["api working"]);
  });

  it("sets a session aside alone when it cannot be judged", async () => {
    await working();
    test.loop.register(agent({ session: "bad", name: "bad" }));
    const hostile = { kind: "screen", source: "screen" } as unknown as Parameters<TestLoop["send"]>[1][number];
    await test.send("bad", [hostile]);
    const bad = test.loop.find("bad");
    expect(bad?.poisoned).toMatch(/reading|undefined/);
    expect(bad && viewOf(bad, test.loop.now())).toMatchObject({
      state: "unknown",
      cause: null,
      healthy: false,
      blind: { since: new Date(START).toISOString(), reason: expect.stringContaining("judging it failed") },
    });
    await test.send("bad", WORKING);
    test.run(SILENT_S);
    expect(test.says("api")).toBe("stuck/silent_stream");
    expect(test.loop.ticks).toBe(SILENT_S);
  });

  it("finds by id, and by name the one that lives, else the last that had the name", () => {
    test = new TestLoop();
    test.loop.register(agent({ session: "old", endedAt: START + 1 }));
    test.loop.register(agent({ session: "living", startedAt: START + 5 }));
    test.loop.register(agent({ session: "older", startedAt: START - 9, endedAt: START }));
    expect(test.loop.find("api")?.session.session).toBe("living");
    expect(test.loop.find("old")?.session.session).toBe("old");
    test.loop.register(agent({ session: "living", startedAt: START + 5, endedAt: START + 9 }));
    expect(test.loop.find("api")?.session.session).toBe("living");
    expect(test.loop.find("nobody")).toBeNull();
  });

  it("forgets those that ended a day ago, and the journal does not", () => {
    test = new TestLoop();
    test.loop.register(agent({ endedAt: START }));
    test.hand.pass(24 * HOUR_MS - 1000);
    test.loop.tick();
    expect(test.loop.sessions()).toHaveLength(1);
    test.run(2);
    expect(test.loop.sessions()).toEqual([]);
    test.start();
    expect(test.loop.sessions()).toEqual([]);
    expect(test.journal.sessions()).toHaveLength(1);
  });

  it("is blind to a session whose host is silent for a minute, says so once, and sees again when it is heard of", async () => {
    await working();
    test.run(60, "silent");
    expect(view()).toMatchObject({ state: "working", blind: null });
    test.run(1, "silent");
    const blind = { since: new Date(START).toISOString(), reason: expect.stringContaining("is silent") };
    expect(view()).toMatchObject({ state: "unknown", cause: null, confidence: 0, healthy: false, blind });
    expect(view().reasons).toEqual([
      expect.stringMatching(/^nothing was heard of it for 61 s: the process that holds its terminal is silent/),
      expect.stringContaining("a turn runs"),
    ]);
    test.run(300, "silent");
    expect(view().blind).toEqual(blind);
    expect(test.changes).toEqual(["api working", "api unknown"]);
    await test.send("s1", news(1));
    expect(view()).toMatchObject({ state: "working", blind: null });
    test.journal.flush();
    const notices = [...test.journal.read("s1")].filter(({ signal }) => signal.kind === "sight");
    expect(notices).toHaveLength(2);
  });

  it("takes no sample of the process, hook or report for the word of a host", async () => {
    await working();
    for (let n = 0; n < 7; n++) {
      test.run(10, "silent");
      test.loop.hear("s1", "senses");
      await test.loop.ingest("s1", null, [{ kind: "report", at: test.hand.wall, source: "report", heartbeat: true }]);
    }
    expect(view().state).toBe("unknown");
    test.loop.hear("s1", "host");
    expect(view().state).toBe("working");
  });

  it("is blind to a pane that cannot be asked, although its process lives, and says why", async () => {
    test = new TestLoop();
    test.loop.register(agent({ origin: "tmux" }));
    await test.send("s1", WORKING);
    for (let n = 0; n < 9; n++) {
      test.run(10, "silent");
      test.loop.hear("s1", "senses");
    }
    expect(view().blind).toBeNull();
    test.loop.lose("s1", "the tmux server does not answer");
    for (let n = 0; n < 7; n++) {
      test.run(10, "silent");
      test.loop.hear("s1", "senses");
    }
    expect(view()).toMatchObject({ state: "unknown", blind: { reason: "the tmux server does not answer" } });
    test.loop.hear("s1", "pane");
    expect(view().blind).toBeNull();
  });

  it("stays blind over a restart, with the same notice, until it is heard of", async () => {
    await working();
    test.run(70, "silent");
    const { blind } = view();
    expect(blind).not.toBeNull();
    test.hand.pass(HOUR_MS);
    test.start(test.loop.now() - HOUR_MS);
    test.run(100, "silent");
    expect(view().blind).toEqual(blind);
    test.loop.hear("s1", "host");
    expect(view()).toMatchObject({ state: "working", blind: null });
  });

  it("is not blind because the machine slept, or because the daemon was away", async () => {
    await working();
    test.hand.sleep(HOUR_MS);
    test.run(30, "silent");
    expect(view().blind).toBeNull();
    test.hand.pass(HOUR_MS);
    test.start();
    test.run(59, "silent");
    expect(view().blind).toBeNull();
  });

  it("is not blind to a session that ended", async () => {
    await working();
    await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
    test.loop.register(agent({ endedAt: test.hand.wall }));
    test.run(100);
    const watched = test.loop.find("s1");
    expect(watched && viewOf(watched, test.loop.now())).toMatchObject({ state: "gone", cause: "crash" });
  });
});
