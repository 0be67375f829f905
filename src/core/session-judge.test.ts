import { describe, expect, it } from "vitest";
import { agent, testRules } from "../../test/support/loops.js";
import { START, screen } from "../../test/support/steps.js";
import { COMPLETION_MARKER } from "./defaults.js";
import { SessionJudge } from "./session-judge.js";
import type { Signal } from "./signal.js";

const title = (status: "working" | "idle", at: number): Signal => ({ kind: "status", source: "title", status, at });

describe("SessionJudge", () => {
  it("reports a change once, with its start", () => {
    const watched = new SessionJudge(agent(), START);
    watched.take([title("working", START + 1000)], START + 1000);
    expect(watched.judge(START + 1000)).toBe(true);
    expect(watched.judge(START + 5000)).toBe(false);
    expect([watched.assessment.state, watched.since]).toEqual(["working", START + 1000]);
    expect(watched.timeline.map(({ t, state }) => [t, state])).toEqual([[1, "working"]]);
  });

  it("is starting and healthy until its first signal is overdue", () => {
    const watched = new SessionJudge(agent(), START);
    expect([0, 9_999, 10_000].map((ms) => watched.peek(START + ms).state)).toEqual(["starting", "starting", "unknown"]);
    expect(watched.assessment.recheckAt).toBe(START + 10_000);
    watched.take([title("working", START + 1000)], START + 1000);
    expect(watched.peek(START + 1000).state).toBe("working");
  });

  it.each([
    ["a terminal that rouse holds", "spawn", "stuck"],
    ["an unobserved terminal, in which it may be at its prompt", "transcript", "starting"],
  ] as const)("that has shown nothing for ten minutes is judged as in %s", (_, origin, state) => {
    const watched = new SessionJudge(agent({ origin }), START, testRules().settingsFor(agent()));
    watched.take([{ kind: "process", at: START, source: "process", alive: true, children: 0, cpuMs: 0 }], START);
    expect(watched.peek(START + 600_000).state).toBe(state);
  });

  it.each([
    ["is never_started", 60_000, "stuck/never_started"],
    ["cannot be judged, because it may have shown everything before", 60_001, "unknown/null"],
  ])("that has shown nothing and was first seen late %s", (_, lateMs, verdict) => {
    const watched = new SessionJudge(agent(), START + lateMs, testRules().settingsFor(agent()));
    const seenAt = START + lateMs;
    watched.take([{ kind: "process", at: seenAt, source: "process", alive: true, children: 0, cpuMs: 0 }], seenAt);
    expect(watched.peek(seenAt + 20_000).state).toBe("starting");
    const { state, cause } = watched.peek(seenAt + 600_000);
    expect(`${state}/${cause}`).toBe(verdict);
  });

  it("is not blamed for time after its watching ended", () => {
    const watched = new SessionJudge(agent({ origin: "transcript" }), START);
    watched.take([{ kind: "process", at: START, source: "process", alive: true, children: 0, cpuMs: 0 }], START);
    watched.session = { ...watched.session, endedAt: START + 6000 };
    watched.judge(START + 1_200_000);
    expect(watched.assessment).toMatchObject({ state: "starting", at: START + 1_200_000, recheckAt: null });
  });

  it.each([
    ["spawn", ["host"]],
    ["run", ["host"]],
    ["tmux", ["pane", "sensor"]],
    ["transcript", ["sensor"]],
  ] as const)("of origin %s counts as observed by signals from %j", (origin, proof) => {
    for (const by of ["host", "pane", "sensor"] as const) {
      const watched = new SessionJudge(agent({ origin }), START, testRules().settingsFor(agent()));
      watched.recordLiveness(START + 7000, by);
      expect(watched.lastAliveAt - START).toBe((proof as readonly string[]).includes(by) ? 7000 : 0);
    }
  });

  it("keeps only the newest entries of a session that changes often", () => {
    const watched = new SessionJudge(agent(), START);
    for (let n = 1; n <= 700; n++) {
      const at = START + n * 5000;
      watched.take([title(n % 2 === 1 ? "working" : "idle", at)], at);
      watched.judge(at + 1000);
    }
    expect(watched.timeline).toHaveLength(200);
    expect(watched.timeline.at(-1)?.t).toBe(700 * 5 + 1);
  });

  it("stops judging if a signal cannot be processed, and says why", () => {
    const watched = new SessionJudge(agent(), START);
    watched.take([{ kind: "screen", source: "screen", at: START } as unknown as Signal], START);
    expect(watched.judgingError).toEqual(expect.any(String));
    watched.take([title("working", START + 1000)], START + 1000);
    expect([watched.judge(START + 1000), watched.checkVisibility(START + 99_000)]).toEqual([true, null]);
    expect([watched.judge(START + 2000), watched.assessment.at]).toEqual([false, START + 2000]);
  });

  it("stops judging if the assessment throws", () => {
    const watched = new SessionJudge(agent(), START);
    Object.defineProperty(watched.evidence, "turn", {
      get: () => {
        throw new Error("a broken fold");
      },
    });
    expect([watched.judge(START), watched.judgingError]).toEqual([true, "a broken fold"]);
    expect(watched.assessment).toMatchObject({
      state: "unknown",
      level: "report",
      reasons: ["judging this session failed: a broken fold"],
    });
  });

  it("records signals without judging them if judging is turned off, and says so", () => {
    const watched = new SessionJudge(agent(), START, { isJudging: false });
    watched.take([title("working", START + 1000)], START + 1000);
    expect(watched.judge(START + 1000)).toBe(false);
    expect(watched.peek(START + 2000)).toMatchObject({ state: "unknown", confidence: 0, recheckAt: null });
    expect(watched.assessment.reasons[0]).toContain("health.enabled");
    expect(watched.evidence.turn.statuses.title).toMatchObject({ status: "active" });
  });
});

describe("a headless run whose command line asks for the completion marker", () => {
  const command = ["claude", "-p", "fix the parser, then write <promise>COMPLETE</promise>"];
  const settings = { ...testRules().settingsFor(agent()), completion_marker: COMPLETION_MARKER };

  /** The state after the program has printed the marker, or only other lines, and exited. */
  function stateAfter(marked: boolean, code: number, argv: readonly string[] = command): string {
    const watched = new SessionJudge(agent({ command: [...argv] }), START, settings);
    const shown = screen({ composer: "hidden", busy: null, tail: ["Fixed the parser."], ...(marked && { marked }) });
    watched.take([{ ...shown, at: START + 5000 }], START + 5000);
    watched.take([{ kind: "exit", at: START + 9000, source: "process", code, signal: null }], START + 9000);
    const { state, cause } = watched.peek(START + 9000);
    return cause ? `${state}/${cause}` : state;
  }

  it("is complete if its output shows the marker, wherever that is", () => {
    expect(stateAfter(true, 0)).toBe("complete");
  });

  it("is reported at its exit if it never printed the marker", () => {
    expect(stateAfter(false, 0)).toBe("stuck/no_completion_signal");
  });

  it("is judged by a failing exit code as any other run", () => {
    expect(stateAfter(true, 1)).toBe("gone/exit_code");
  });

  it("owes no marker that its command line does not ask for", () => {
    expect(stateAfter(false, 0, ["claude", "-p", "fix the parser"])).toBe("idle");
  });
});
