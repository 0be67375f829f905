import { afterEach, describe, expect, it } from "vitest";
import type { Untimed } from "../../test/support/loops.js";
import { agent, checkedAt, HOUR_MS, news, SILENT_S, TestLoop, WORKING } from "../../test/support/loops.js";
import { START } from "../../test/support/steps.js";
import { spentBetween } from "../core/judgement/evidence/spend.js";
import type { SessionJudge } from "../core/session-judge.js";
import type { Signal } from "../core/signal.js";
import { viewOf } from "./views/view.js";

let test: TestLoop;
afterEach(() => test.close());

/** Returns a function that makes room. */
function fill(): () => void {
  const { journal } = test;
  const before = { append: journal.append.bind(journal), putSession: journal.putSession.bind(journal) };
  journal.append = () => Promise.reject(new Error("disk full"));
  journal.putSession = () => {
    throw new Error("disk full");
  };
  return () => void Object.assign(journal, before);
}

describe("the loop", () => {
  it("takes no signals for an unregistered session", async () => {
    test = new TestLoop();
    expect(await test.send("s1", WORKING)).toBeNull();
  });

  it("counts a signal once, however often its host sends it", async () => {
    test = await TestLoop.working();
    const used: Signal[] = [{ kind: "tokens", at: test.hand.wall, source: "stream", input: 1000, output: 0 }];
    const next = WORKING.length + 1;
    for (let time = 0; time < 3; time++) expect(await test.loop.ingest("s1", next, used)).toBe(next);
    const { evidence } = test.loop.find("s1") as SessionJudge;
    expect(spentBetween(evidence.spend, START, START + HOUR_MS).tokens).toBe(1000);
  });

  it.each(["host", "sensor"])(
    "judges what a %s sends on a full disk once, and stores it when it is sent again",
    async (by) => {
      test = await TestLoop.working();
      const room = fill();
      const used: Signal[] = [{ kind: "tokens", at: test.hand.wall, source: "stream", input: 1000, output: 0 }];
      const next = by === "host" ? WORKING.length + 1 : null;
      const send = (): Promise<number | null> => test.loop.ingest("s1", next, used);
      const tokens = (): number => {
        const { evidence } = test.loop.find("s1") as SessionJudge;
        return spentBetween(evidence.spend, START, START + HOUR_MS).tokens;
      };
      for (let time = 0; time < 3; time++) await expect(send()).rejects.toThrow("disk full");
      expect(tokens()).toBe(1000);
      room();
      await send();
      expect([tokens(), [...test.journal.read("s1")].length]).toEqual([1000, WORKING.length + 1]);
      test.start();
      expect(tokens()).toBe(1000);
    },
  );

  it("judges later signals of a host while earlier ones wait for the disk, and stores all of them in order", async () => {
    test = await TestLoop.working();
    const room = fill();
    const next = WORKING.length + 1;
    const at = test.hand.wall;
    const [first, exit]: Signal[] = [
      { kind: "tokens", at, source: "stream", input: 1000, output: 0 },
      { kind: "exit", at, source: "process", code: 1, signal: null },
    ];
    await expect(test.loop.ingest("s1", next, [first as Signal])).rejects.toMatchObject({ judged: next });
    const shown = test.loop.ingest("s1", next + 1, [exit as Signal], false);
    await expect(shown).rejects.toMatchObject({ judged: next + 1 });
    expect(test.says()).not.toBe("working");
    room();
    expect(await test.loop.ingest("s1", next, [first as Signal, exit as Signal])).toBe(next + 1);
    expect([...test.journal.read("s1")].map(({ signal }) => signal.kind).slice(-2)).toEqual(["tokens", "exit"]);
  });

  it("watches an agent that starts on a full disk, and stores its session once there is room", async () => {
    test = new TestLoop();
    const room = fill();
    test.loop.register(agent());
    await expect(test.send("s1", WORKING)).rejects.toThrow("disk full");
    expect([test.says(), test.journal.sessions()]).toEqual(["working", []]);
    room();
    test.run(1);
    expect(test.journal.sessions().map(({ name }) => name)).toEqual(["api"]);
  });

  it("moves the earlier sessions of a renamed agent with it, so that none is judged again under the old name", async () => {
    test = await TestLoop.working();
    await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
    test.loop.register(agent({ endedAt: test.loop.now() }));
    test.loop.register(agent({ id: "s2" }));
    await test.send("s2", WORKING);
    test.changes.length = 0;
    test.loop.register(agent({ id: "s2", name: "web" }));
    test.run(60);
    expect([test.loop.find("api"), test.changes]).toEqual([null, []]);
    test.start();
    expect([test.says("api"), test.says("web")]).toEqual(["nobody", "working"]);
  });

  it("closes the incident of a dead agent when another one works in its pane", async () => {
    const pane = { socket: "/tmp/tmux", id: "%3" };
    test = new TestLoop();
    const open = (): string[] =>
      test.loop.incidents.incidents.filter(({ endedAt }) => endedAt === null).map((incident) => incident.agent);
    for (const [id, name, own] of [
      ["s1", "api", pane],
      ["s2", "web", { ...pane, id: "%4" }],
    ] as const) {
      const session = agent({ id, name, origin: "tmux", pane: own });
      test.loop.register(session);
      await test.send(id, WORKING);
      await test.send(id, [{ kind: "exit", source: "process", code: null, signal: null, adopted: true }]);
      test.loop.register({ ...session, endedAt: test.loop.now() });
    }
    expect(open()).toEqual(["api", "web"]);
    test.loop.register(agent({ id: "s3", name: "renamed", origin: "tmux", pane }));
    await test.send("s3", WORKING);
    expect(open()).toEqual(["web"]);
  });

  it("judges an agent by its newest session: the crash of an older one is history, even after a restart", async () => {
    test = await TestLoop.working();
    await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
    test.loop.register(agent({ endedAt: test.loop.now() }));
    // Its clock may even show an earlier start.
    test.loop.register(agent({ id: "s2", startedAt: START - 5000 }));
    await test.send("s2", WORKING);
    test.changes.length = 0;
    test.start();
    test.run(30);
    expect(test.changes).toEqual([]);
    expect(test.says()).toBe("working");
  });

  it("isolates a session that cannot be judged", async () => {
    test = await TestLoop.working();
    test.loop.register(agent({ id: "bad", name: "bad" }));
    const hostile = { kind: "screen", source: "screen" } as unknown as Parameters<TestLoop["send"]>[1][number];
    await test.send("bad", [hostile]);
    const bad = test.loop.find("bad");
    expect(bad?.judgingError).toMatch(/reading|undefined/);
    expect(bad && viewOf(bad, test.loop.now(), test.loop.incidents)).toMatchObject({
      state: "unknown",
      cause: null,
      healthy: false,
      unobserved: { since: new Date(START).toISOString(), reason: expect.stringContaining("the judgement failed") },
    });
    await test.send("bad", WORKING);
    test.run(SILENT_S);
    expect(test.says("api")).toBe("stuck/silent_stream");
    expect(test.loop.ticks).toBe(SILENT_S);
  });

  it("finds a session by id, and by name the running one, else the last one of that name", () => {
    test = new TestLoop();
    test.loop.register(agent({ id: "old", endedAt: START + 1 }));
    test.loop.register(agent({ id: "living", startedAt: START + 5 }));
    test.loop.register(agent({ id: "older", startedAt: START - 9, endedAt: START }));
    expect(test.loop.find("api")?.session.id).toBe("living");
    expect(test.loop.find("old")?.session.id).toBe("old");
    test.loop.register(agent({ id: "living", startedAt: START + 5, endedAt: START + 9 }));
    expect(test.loop.find("api")?.session.id).toBe("living");
    expect(test.loop.find("nobody")).toBeNull();
  });

  describe("what was learned about an agent", () => {
    const SHELL = { source: "hook", tool: "Bash", class: "shell", subject: "make all" } as const;
    const begun = (id: string): Untimed<Signal> => ({ ...SHELL, kind: "tool_start", id, call: id });
    const ended = (id: string): Untimed<Signal> => ({
      kind: "tool_end",
      source: "hook",
      id,
      ok: true,
      outcome: id,
      raw: id,
    });
    /** Twenty calls of 25 minutes: a shell command is reported after 30 min. */
    const teach = async (): Promise<void> => {
      test = await TestLoop.working();
      for (let n = 0; n < 20; n++) {
        await test.send("s1", [begun(`c${n}`)]);
        test.run(25 * 60);
        await test.send("s1", [ended(`c${n}`)]);
      }
      test.loop.register(agent({ endedAt: test.loop.now() }));
    };
    const isLate = async (kind: string): Promise<string> => {
      test.loop.register(agent({ id: "s2", kind, startedAt: test.hand.wall }));
      await test.send("s2", [...WORKING, begun("last")]);
      test.run(60 * 60);
      return test.says("s2");
    };

    it("applies to its next session, even after a restart of the daemon", async () => {
      await teach();
      test.restart();
      expect(await isLate("claude-code")).not.toContain("stuck");
      test.restart();
      expect(test.says("s2")).not.toContain("stuck");
    });

    it("does not apply to another program with the same name", async () => {
      await teach();
      expect(await isLate("codex")).toContain("stuck");
    });
  });

  it("drops sessions a day after their end, and the journal keeps them", () => {
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

  it("cannot see a session whose host is silent for a minute, reports it once, and sees it again after the next signal", async () => {
    test = await TestLoop.working();
    test.run(60, "silent");
    expect(test.view()).toMatchObject({ state: "working", unobserved: null });
    test.run(1, "silent");
    const unobserved = { since: new Date(START).toISOString(), reason: expect.stringContaining("is silent") };
    expect(test.view()).toMatchObject({ state: "unknown", cause: null, confidence: 0, healthy: false, unobserved });
    expect(test.view().reasons).toEqual([
      expect.stringMatching(/^No signals for 61 s \(observer\): the process that holds its terminal is silent/),
      expect.stringContaining("A turn is running"),
    ]);
    test.run(300, "silent");
    expect(test.view().unobserved).toEqual(unobserved);
    expect(test.changes).toEqual(["api working", "api unknown"]);
    await test.send("s1", news(1));
    expect(test.view()).toMatchObject({ state: "working", unobserved: null });
    test.journal.flush();
    const notices = [...test.journal.read("s1")].filter(({ signal }) => signal.kind === "sight");
    expect(notices).toHaveLength(2);
  });

  it("does not accept a process sample, a hook or a report as a sign of life from the host", async () => {
    test = await TestLoop.working();
    for (let n = 0; n < 7; n++) {
      test.run(10, "silent");
      test.loop.recordLiveness("s1", "sensor");
      await test.loop.ingest("s1", null, [{ kind: "report", at: test.hand.wall, source: "report", heartbeat: true }]);
    }
    expect(test.view().state).toBe("unknown");
    test.loop.recordLiveness("s1", "host");
    expect(test.view().state).toBe("working");
  });

  it("cannot see a pane that cannot be read, although its process is alive, and says why", async () => {
    test = new TestLoop();
    test.loop.register(agent({ origin: "tmux" }));
    await test.send("s1", WORKING);
    for (let n = 0; n < 9; n++) {
      test.run(10, "silent");
      test.loop.recordLiveness("s1", "sensor");
    }
    expect(test.view().unobserved).toBeNull();
    test.loop.take({ kind: "unreadable", session: "s1", reason: "the tmux server does not answer" });
    for (let n = 0; n < 7; n++) {
      test.run(10, "silent");
      test.loop.recordLiveness("s1", "sensor");
    }
    expect(test.view()).toMatchObject({ state: "unknown", unobserved: { reason: "the tmux server does not answer" } });
    test.loop.recordLiveness("s1", "pane");
    expect(test.view().unobserved).toBeNull();
  });

  it("still cannot see the session after a restart, with the same notice, until its host reports", async () => {
    test = await TestLoop.working();
    test.run(70, "silent");
    const { unobserved } = test.view();
    expect(unobserved).not.toBeNull();
    test.hand.pass(HOUR_MS);
    test.start(checkedAt(test.loop.now() - HOUR_MS));
    test.run(100, "silent");
    expect(test.view().unobserved).toEqual(unobserved);
    test.loop.recordLiveness("s1", "host");
    expect(test.view()).toMatchObject({ state: "working", unobserved: null });
  });

  it("does not count a session as unobserved because the machine slept or the daemon was not running", async () => {
    test = await TestLoop.working();
    test.hand.sleep(HOUR_MS);
    test.run(30, "silent");
    expect(test.view().unobserved).toBeNull();
    test.hand.pass(HOUR_MS);
    test.start();
    test.run(59, "silent");
    expect(test.view().unobserved).toBeNull();
  });

  it("does not count a session that has ended as unobserved", async () => {
    test = await TestLoop.working();
    await test.send("s1", [{ kind: "exit", source: "process", code: null, signal: 9 }]);
    test.loop.register(agent({ endedAt: test.hand.wall }));
    test.run(100);
    const judge = test.loop.find("s1");
    expect(judge && viewOf(judge, test.loop.now(), test.loop.incidents)).toMatchObject({
      state: "gone",
      cause: "crash",
    });
  });
});
