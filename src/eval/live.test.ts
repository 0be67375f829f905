import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../core/judgement/timeline.js";
import type { Cause, State } from "../core/states.js";
import { type LiveFigures, scoreLive } from "./live.js";

type Said = readonly [t: number, state: State, cause?: Cause];

function entry([t, state, cause]: Said): TimelineEntry {
  return { t, state, cause: cause ?? null, confidence: 0.9, until: null, reasons: [`${state} at ${t}`] };
}

function score(truth: [number, string][], said: Said[], { end = 300, agent = "claude" } = {}): LiveFigures {
  return scoreLive([{ name: "claude/a", truth: { agent, timeline: truth, end }, timeline: said.map(entry) }]);
}

const WORK: [number, string] = [0, "working"];

describe("detecting problems", () => {
  const table: { name: string; truth: [number, string][]; said: Said[]; end?: number; delay: number | null }[] = [
    {
      name: "counts the delay from the segment's start",
      truth: [WORK, [10, "waiting_permission"]],
      said: [
        [0, "working"],
        [12.5, "needs_input"],
      ],
      delay: 2.5,
    },
    {
      name: "gives no negative delay for a verdict half a second early",
      truth: [WORK, [10, "auth_error"]],
      said: [
        [0, "working"],
        [9.6, "error", "auth"],
      ],
      delay: 0,
    },
    {
      name: "does not count a verdict that comes after the segment",
      truth: [WORK, [10, "waiting_permission"], [20, "working"]],
      said: [
        [0, "working"],
        [20, "needs_input"],
      ],
      delay: null,
    },
    {
      name: "waits five seconds after the last segment",
      truth: [WORK, [10, "crashed"]],
      said: [
        [0, "working"],
        [24, "gone"],
      ],
      end: 20,
      delay: 14,
    },
    {
      name: "gives a segment that ends with an exit the same five seconds",
      truth: [WORK, [10, "crashed"], [11, "exited"]],
      said: [
        [0, "working"],
        [14, "gone"],
      ],
      delay: 4,
    },
    {
      name: "accepts only stuck for a hang",
      truth: [WORK, [10, "hung"]],
      said: [
        [0, "working"],
        [100, "stuck", "silent_stream"],
      ],
      delay: 90,
    },
    {
      name: "requires a cause of the loop family for a loop",
      truth: [WORK, [10, "looping"]],
      said: [
        [0, "working"],
        [20, "stuck", "silent_stream"],
        [50, "stuck", "no_progress"],
      ],
      delay: 40,
    },
    {
      name: "accepts complete for a turn that only promised more",
      truth: [WORK, [10, "done"]],
      said: [
        [0, "working"],
        [11, "stuck", "stopped_early"],
      ],
      delay: 1,
    },
    {
      name: "accepts stuck for an unreachable server",
      truth: [WORK, [10, "unreachable"]],
      said: [
        [0, "working"],
        [15, "stuck", "retry_storm"],
      ],
      delay: 5,
    },
  ];
  for (const { name, truth, said, end, delay } of table) {
    it(name, () => {
      const figures = score(truth, said, end === undefined ? {} : { end });
      const state = truth[1]?.[1] ?? "";
      const p50 = delay === null ? null : expect.closeTo(delay, 6);
      expect(figures.states[state]).toEqual({ detected: delay === null ? 0 : 1, of: 1, p50, p95: p50 });
    });
  }

  it("leaves out a hang that is too short to be distinguished from a slow answer", () => {
    expect(score([WORK, [10, "hung"], [134, "working"]], [[0, "working"]]).states).toEqual({});
    expect(score([WORK, [10, "hung"], [135, "working"]], [[0, "working"]]).states.hung?.of).toBe(1);
  });

  it("leaves out Gemini CLI's unreachable server, which looks like its silent retries", () => {
    const figures = score([WORK, [10, "unreachable"]], [[0, "working"]], { agent: "gemini" });
    expect(figures.cases).toBe(0);
  });

  it("misses every problem of a case that could not be replayed", () => {
    const truth = { agent: "codex", timeline: [WORK, [5, "done"]] as [number, string][], end: 30 };
    const figures = scoreLive([{ name: "codex/a", truth, timeline: null }]);
    expect(figures).toMatchObject({ cases: 1, replayed: 0, total: { detected: 0, of: 1 } });
  });

  it("lists a miss with the verdicts and reasons that held instead", () => {
    const figures = score(
      [WORK, [10, "billing_error"]],
      [
        [0, "working"],
        [30, "waiting", "retry"],
      ],
    );
    expect(figures.misses).toEqual([
      {
        case: "claude/a",
        truth: "billing_error",
        from: 10,
        to: 300,
        instead: [
          { t: 10, state: "working", cause: null, reasons: ["working at 0"] },
          { t: 30, state: "waiting", cause: "retry", reasons: ["waiting at 30"] },
        ],
      },
    ]);
  });

  it("pools neither hangs nor loops, and counts no hung tool in the total", () => {
    const figures = scoreLive(
      ["hung", "tool_hung", "looping", "unreachable", "done"].map((state) => ({
        name: `claude/${state}`,
        truth: { agent: "claude", timeline: [WORK, [10, state]], end: 300 },
        timeline: [entry([0, "working"])],
      })),
    );
    expect(figures.pooled.of).toBe(1);
    expect(figures.total.of).toBe(4);
  });
});

describe("holding a verdict", () => {
  it("does not accept a blip", () => {
    const figures = score(
      [WORK, [100, "waiting_input"]],
      [
        [0, "working"],
        [101, "needs_input"],
        [111, "working"],
      ],
      { end: 201 },
    );
    expect(figures.states.waiting_input?.detected).toBe(1);
    expect(figures.notHeld).toMatchObject([{ truth: "waiting_input", share: 0.1, instead: [{ state: "working" }] }]);
  });

  it("lists verdicts that came later than their bar, the latest first", () => {
    const figures = score(
      [WORK, [10, "waiting_permission"], [30, "working"], [40, "waiting_input"], [100, "hung"]],
      [
        [0, "working"],
        [16, "needs_input"],
        [30, "working"],
        [60, "needs_input"],
        [100, "working"],
        [200, "stuck", "silent_stream"],
      ],
    );
    expect(figures.late).toMatchObject([
      { truth: "waiting_input", from: 40, delay: 20, within: 5, instead: [{ t: 40 }, { state: "needs_input" }] },
      { truth: "waiting_permission", from: 10, delay: 6, within: 5, instead: [{ t: 10 }, { t: 16 }] },
    ]);
  });

  it("accepts a gap of a tenth", () => {
    const said: Said[] = [
      [0, "working"],
      [100, "needs_input"],
      [150, "working"],
      [160, "needs_input"],
    ];
    expect(score([WORK, [100, "waiting_input"]], said, { end: 200 }).notHeld).toEqual([]);
  });

  it("names a right state with the wrong cause", () => {
    const figures = score([WORK, [10, "auth_error"]], [[10, "error", "api"]]);
    expect(figures.wrongCause).toEqual([{ case: "claude/a", truth: "auth_error", causes: ["api"] }]);
    expect(score([WORK, [10, "stopped_error"]], [[10, "error", "exit_code"]]).wrongCause).toEqual([]);
  });
});

describe("false alarms and false completions", () => {
  const table: { name: string; truth: [number, string][]; said: Said[]; alarms: number; completions?: number }[] = [
    {
      name: "forgives an alarm that ends within 3 s of the start",
      truth: [WORK],
      said: [
        [0, "stuck"],
        [3, "working"],
      ],
      alarms: 0,
    },
    {
      name: "counts an alarm that outlasts the 3 s",
      truth: [WORK],
      said: [
        [0, "stuck"],
        [3.1, "working"],
      ],
      alarms: 1,
    },
    {
      name: "counts every new alarm once",
      truth: [WORK],
      said: [
        [10, "stuck"],
        [20, "working"],
        [30, "error"],
      ],
      alarms: 2,
    },
    {
      name: "accepts rate_limited for a retried 429",
      truth: [[0, "rate_limited"]],
      said: [[0, "rate_limited"]],
      alarms: 0,
    },
    {
      name: "does not accept error for a retried 5xx",
      truth: [[0, "retrying"]],
      said: [[0, "error", "api"]],
      alarms: 1,
    },
    { name: "does not accept complete for work", truth: [WORK], said: [[5, "complete"]], alarms: 0, completions: 1 },
    { name: "accepts complete for an idle prompt", truth: [[0, "idle"]], said: [[5, "complete"]], alarms: 0 },
    {
      name: "accepts a question or an exit for an interrupted turn",
      truth: [[0, "interrupted"]],
      said: [
        [5, "needs_input"],
        [9, "gone"],
      ],
      alarms: 0,
    },
    {
      name: "accepts the next problem half a second early",
      truth: [WORK, [10, "waiting_trust"]],
      said: [[9.5, "needs_input"]],
      alarms: 0,
    },
    {
      name: "does not accept the next problem a second early",
      truth: [WORK, [10, "waiting_trust"]],
      said: [[9, "needs_input"]],
      alarms: 1,
    },
    {
      name: "accepts a loop ten seconds early",
      truth: [WORK, [30, "looping"]],
      said: [[20, "stuck", "loop"]],
      alarms: 0,
    },
    {
      name: "counts a wrong alarm inside another problem",
      truth: [[0, "hung"]],
      said: [
        [50, "error", "api"],
        [90, "stuck", "silent_stream"],
      ],
      alarms: 1,
    },
    {
      name: "counts complete inside a problem",
      truth: [[0, "hung"]],
      said: [
        [50, "complete"],
        [90, "stuck", "silent_stream"],
      ],
      alarms: 0,
      completions: 1,
    },
    {
      name: "counts a missed problem only as missed, whatever was reported in it",
      truth: [[0, "hung"]],
      said: [[50, "error", "api"]],
      alarms: 0,
    },
    {
      name: "forgives gone in the last segment",
      truth: [[0, "done"]],
      said: [
        [1, "complete"],
        [290, "gone"],
      ],
      alarms: 0,
    },
    {
      name: "does not forgive gone before another segment",
      truth: [
        [0, "done"],
        [100, "working"],
      ],
      said: [
        [1, "complete"],
        [50, "gone"],
        [100, "working"],
      ],
      alarms: 1,
    },
    { name: "scores nothing after the exit", truth: [[0, "exited"]], said: [[5, "error"]], alarms: 0 },
  ];
  for (const { name, truth, said, alarms, completions = 0 } of table) {
    it(name, () => {
      const figures = score(truth, said);
      expect([figures.falseAlarms.length, figures.falseCompletions.length]).toEqual([alarms, completions]);
    });
  }

  it("lists an alarm with its time, truth and reasons", () => {
    expect(score([WORK], [[42, "stuck", "loop"]]).falseAlarms).toEqual([
      { case: "claude/a", truth: "working", t: 42, state: "stuck", cause: "loop", reasons: ["stuck at 42"] },
    ]);
  });

  it("adds up the quiet seconds only", () => {
    expect(score([WORK, [10, "done"], [60, "idle"]], [], { end: 100 }).quietSeconds).toBe(50);
  });
});
