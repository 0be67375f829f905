import { describe, expect, it } from "vitest";
import type { State } from "../core/states.js";
import { type SessionFigures, scoreSessions } from "./sessions.js";

const NOON = Date.parse("2026-03-01T12:00:00Z");
type Labelled = readonly [seconds: number, label: string, doing?: string];
type Said = readonly [t: number, state: State, cause?: "permission"];

/** Segments laid end to end from noon on. */
function score(labelled: Labelled[], said: Said[] | null): SessionFigures {
  let at = NOON;
  const segments = labelled.map(([seconds, label, doing]) => {
    const start = at;
    at += seconds * 1000;
    return { file: "a.jsonl", label, start, end: at, doing: doing ?? "" };
  });
  const timeline = said?.map(([t, state, cause = null]) => {
    return { t, state, cause, confidence: 0.8, until: null, reasons: [`${state} at ${t}`] };
  });
  return scoreSessions([{ file: "a.jsonl", segments: segments.reverse(), timeline: timeline ?? null }]);
}

describe("alarms in quiet segments", () => {
  const table: { name: string; labelled: Labelled[]; said: Said[]; alarms: number }[] = [
    {
      name: "counts stuck during work",
      labelled: [[600, "working"]],
      said: [
        [0, "working"],
        [300, "stuck"],
      ],
      alarms: 1,
    },
    {
      name: "counts error during a wait for the user",
      labelled: [[600, "waiting_for_user"]],
      said: [[10, "error"]],
      alarms: 1,
    },
    {
      name: "does not count a question or a limit",
      labelled: [[600, "long_tool"]],
      said: [
        [10, "needs_input"],
        [20, "rate_limited"],
      ],
      alarms: 0,
    },
    { name: "does not count verdicts in a stall", labelled: [[600, "stalled"]], said: [[300, "stuck"]], alarms: 0 },
    {
      name: "does not count verdicts in a permission wait",
      labelled: [[600, "permission_wait"]],
      said: [[300, "stuck"]],
      alarms: 0,
    },
    {
      name: "allows 3 s to withdraw the verdict of a stall that ended",
      labelled: [
        [600, "stalled"],
        [60, "working"],
      ],
      said: [
        [300, "stuck"],
        [602, "working"],
      ],
      alarms: 0,
    },
    {
      name: "counts a verdict that outlives its stall",
      labelled: [
        [600, "stalled"],
        [60, "working"],
      ],
      said: [
        [300, "stuck"],
        [640, "working"],
      ],
      alarms: 1,
    },
    {
      name: "counts one verdict once over several segments",
      labelled: [
        [100, "working"],
        [100, "long_tool"],
        [100, "working"],
      ],
      said: [[50, "stuck"]],
      alarms: 1,
    },
    {
      name: "accepts the next problem half a second early",
      labelled: [
        [100, "working"],
        [600, "api_error"],
      ],
      said: [[99.6, "error"]],
      alarms: 0,
    },
  ];
  for (const { name, labelled, said, alarms } of table) {
    it(name, () => expect(score(labelled, said).alarms).toHaveLength(alarms));
  }

  it("counts a wait for the user for half an hour at most, and work in full", () => {
    expect(
      score(
        [
          [7200, "working"],
          [86_400, "waiting_for_user"],
          [3600, "stalled"],
        ],
        [],
      ).agentHours,
    ).toBe(2.5);
  });

  it("gives alarms per agent-hour, and none without hours", () => {
    expect(score([[7200, "working"]], [[60, "stuck"]]).alarmsPerHour).toBe(0.5);
    expect(score([[60, "stalled"]], []).alarmsPerHour).toBeNull();
  });

  it("lists an alarm with its segment and reasons", () => {
    expect(score([[600, "long_tool", "tool:subagent"]], [[300, "stuck"]]).alarms).toEqual([
      {
        file: "a.jsonl",
        label: "long_tool",
        doing: "tool:subagent",
        t: 300,
        state: "stuck",
        cause: null,
        reasons: ["stuck at 300"],
      },
    ]);
  });
});

describe("verdicts that contradict their segment", () => {
  const permission: Said = [100, "needs_input", "permission"];
  const table: { name: string; labelled: Labelled[]; said: Said[]; wrong: object }[] = [
    {
      name: "counts a completion during work that lasts",
      labelled: [[600, "working"]],
      said: [
        [100, "complete"],
        [105, "working"],
      ],
      wrong: { completion: { lasting: 1, brief: 0 } },
    },
    {
      name: "counts one of less than 5 s apart",
      labelled: [[600, "working"]],
      said: [
        [100, "complete"],
        [104.9, "working"],
      ],
      wrong: { completion: { lasting: 0, brief: 1 } },
    },
    {
      name: "counts a permission during a long tool, and not during a wait for the user",
      labelled: [
        [200, "long_tool"],
        [600, "waiting_for_user"],
      ],
      said: [permission, [150, "working"], [300, "needs_input", "permission"]],
      wrong: { permission: { lasting: 1, brief: 0 } },
    },
    {
      name: "counts no permission in a permission wait",
      labelled: [[600, "permission_wait"]],
      said: [permission],
      wrong: { permission: { lasting: 0, brief: 0 } },
    },
    {
      name: "counts no other question as a permission",
      labelled: [[600, "working"]],
      said: [[100, "needs_input"]],
      wrong: { permission: { lasting: 0, brief: 0 } },
    },
    {
      name: "counts a stall that lasts",
      labelled: [[600, "waiting_for_user"]],
      said: [[100, "stuck"]],
      wrong: { stall: { lasting: 1, brief: 0 } },
    },
  ];
  for (const { name, labelled, said, wrong } of table) {
    it(name, () => expect(score(labelled, said).wrong).toMatchObject(wrong));
  }

  it("gives the hours at work, and the permission waits of 5 s or more that were found", () => {
    const figures = score(
      [
        [3600, "working"],
        [4, "permission_wait"],
        [60, "permission_wait"],
        [60, "permission_wait"],
        [3600, "waiting_for_user"],
      ],
      [
        [3610, "needs_input", "permission"],
        [3650, "working"],
      ],
    );
    expect(figures).toMatchObject({ workHours: 1, permissions: { detected: 1, of: 2 } });
  });
});

describe("finding problems", () => {
  const table: { name: string; labelled: Labelled; said: Said[]; found: boolean }[] = [
    { name: "finds a stall by stuck", labelled: [900, "stalled"], said: [[700, "stuck"]], found: true },
    { name: "does not find a stall by waiting", labelled: [900, "stalled"], said: [[700, "waiting"]], found: false },
    { name: "does not find a stall after its end", labelled: [60, "stalled"], said: [[100, "stuck"]], found: false },
    { name: "finds a limit by rate_limited only", labelled: [60, "rate_limited"], said: [[0, "error"]], found: false },
    {
      name: "finds a retry by waiting",
      labelled: [60, "api_error", "api_retry:other"],
      said: [[0, "waiting"]],
      found: true,
    },
    {
      name: "does not find a final error by waiting",
      labelled: [60, "api_error", "error_stop:billing"],
      said: [[0, "waiting"]],
      found: false,
    },
    {
      name: "finds a final error by error",
      labelled: [60, "api_error", "error_stop:billing"],
      said: [[2, "error"]],
      found: true,
    },
    {
      name: "finds a segment without length at the end of the file",
      labelled: [0, "rate_limited"],
      said: [[0, "rate_limited"]],
      found: true,
    },
  ];
  for (const { name, labelled, said, found } of table) {
    it(name, () => {
      const figures = score([labelled], said);
      expect(figures.found[labelled[1]]).toMatchObject({ detected: found ? 1 : 0, of: 1 });
      expect(figures.misses).toHaveLength(found ? 0 : 1);
    });
  }

  it("measures the delay from the segment's start", () => {
    const figures = score(
      [
        [100, "working"],
        [900, "stalled"],
      ],
      [
        [0, "working"],
        [700, "stuck"],
      ],
    );
    expect(figures.found.stalled?.p50).toBe(600);
  });

  it("misses every problem of a transcript that could not be replayed", () => {
    expect(score([[60, "rate_limited"]], null)).toMatchObject({
      replayed: 0,
      found: { rate_limited: { detected: 0, of: 1 } },
    });
  });
});
