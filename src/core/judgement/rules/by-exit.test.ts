import { describe, expect, it } from "vitest";
import { START, type Step, screen, walk } from "../../../../test/support/steps.js";

const begin = { kind: "turn", source: "hook", phase: "start" } as const;
const end = { kind: "turn", source: "hook", phase: "end" } as const;
const nudge = { kind: "input", source: "observer", by: "rouse", bytes: 8, submits: true } as const;
/** The end of a program in a terminal of somebody else's: how is not known, only when something was last typed there. */
const gone = (typed: number | null, code: number | null = null) =>
  ({
    kind: "exit",
    source: "process",
    code,
    signal: null,
    ...(typed === null ? {} : { typedAt: START + typed * 1000 }),
  }) as const;

const quit = { kind: "input", source: "human", by: "human", bytes: 1, quits: true } as const;

const reported = (state: "complete" | "error" | "needs_input") =>
  ({ kind: "report", source: "report", state, text: "T" }) as const;
const output = { kind: "output", source: "screen", bytes: 80 } as const;
const ordered = { kind: "input", source: "observer", by: "rouse", bytes: 0, quits: true, ordered: true } as const;
const killed = { kind: "exit", source: "process", code: null, signal: 15 } as const;

const PROMISES: Record<string, Step[]> = {
  "after a report leaves the result that was reported, however the process ended": [
    { at: 0, signal: output },
    { at: 5, signal: reported("complete"), expect: "complete" },
    { at: 9, signal: gone(null, 3), expect: "complete" },
  ],
  "after a report of an error is that error, although the process ended with 0": [
    { at: 0, signal: output },
    { at: 5, signal: reported("error"), expect: "error" },
    { at: 9, signal: gone(null, 0), expect: "error" },
  ],
  "after a report that somebody is needed is an end like any other": [
    { at: 0, signal: output },
    { at: 5, signal: reported("needs_input"), expect: "needs_input/input" },
    { at: 9, signal: gone(null, 3), expect: "gone/exit_code" },
  ],
  "with 0 of a program that nobody knows, and that takes no words, is its result": [
    { at: 0, signal: output },
    { at: 9, signal: gone(null, 0), expect: "complete" },
  ],
  "with 0 of a program that stood at its prompt is none": [
    { at: 0, signal: screen({ busy: false, composer: "empty" }) },
    { at: 9, signal: gone(null, 0), expect: "idle" },
  ],
  "by a human in the middle of a turn is no result, whatever the program says as it goes": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ busy: true }) },
    { at: 100, signal: quit },
    { at: 100.4, signal: { ...begin, phase: "interrupted" } },
    { at: 100.5, signal: screen({ busy: false }) },
    { at: 101, signal: gone(null, 0), expect: "idle" },
  ],
  "that somebody ordered is no crash, in the middle of a turn": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ busy: true }) },
    { at: 100, signal: ordered },
    { at: 104, signal: killed, expect: "idle" },
  ],
  "that a policy brought about is one, and goes on": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ busy: true }) },
    { at: 100, signal: { ...ordered, ordered: false } },
    { at: 104, signal: killed, expect: "gone/crash" },
  ],
  "by a human leaves the result, whatever is painted as the program goes": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, ended: true }) },
    { at: 90, expect: "complete" },
    { at: 100, signal: quit },
    { at: 100.2, signal: quit },
    { at: 100.4, signal: screen({ busy: true, composer: "hidden" }) },
    { at: 101, signal: gone(null, 143), expect: "complete" },
  ],
  "by a human leaves no dialog behind": [
    { at: 0, signal: begin },
    {
      at: 50,
      signal: screen({ dialog: { prompt: "permission", question: "Run it?" } }),
      expect: "needs_input/permission",
    },
    { at: 100, signal: quit },
    { at: 100.5, signal: screen({ busy: false, composer: "hidden", closing: "promise" }) },
    { at: 104, signal: gone(null, 143), expect: "idle" },
  ],
  "by a human leaves the limit that a dialog told of": [
    { at: 0, signal: begin },
    {
      at: 50,
      signal: screen({ dialog: { prompt: "input", question: "Wait?", limit: true } }),
      expect: "rate_limited/limit",
    },
    { at: 100, signal: quit },
    { at: 100.5, signal: screen({ busy: false, composer: "hidden" }) },
    { at: 101, signal: gone(null, 0), expect: "rate_limited/limit" },
  ],
  "by a human makes no stuck program of one that had promised more": [
    { at: 0, signal: begin },
    { at: 49, signal: screen({ busy: true }) },
    { at: 50, signal: end },
    { at: 51, signal: screen({ busy: false, closing: "promise" }), expect: "complete" },
    { at: 60, signal: quit },
    { at: 61, signal: gone(null, 0), expect: "complete" },
  ],
  "of a program that cleared its screen leaves what it had asked": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, ended: true, closing: "question" }) },
    { at: 60, expect: "needs_input/input" },
    { at: 99, signal: screen({ busy: false, composer: "hidden" }) },
    { at: 100, signal: gone(null, 143), expect: "needs_input/input" },
  ],
  "at its prompt, right after somebody typed, was a human's own": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: gone(92), expect: "idle" },
  ],
  "at its prompt, when nobody had typed, is not explained": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: gone(null), expect: "gone" },
  ],
  "long after the last key is not explained": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: gone(60), expect: "gone" },
  ],
  "in a turn that somebody typed into was a human's own": [
    { at: 0, signal: begin },
    { at: 100, signal: gone(92), expect: "idle" },
  ],
  "in a turn is not explained by the request that began it": [
    { at: 88, signal: begin },
    { at: 100, signal: gone(87), expect: "gone" },
  ],
  "of a headless run that told of no end of its turn is not explained, whatever its code": [
    { at: 0, signal: { ...begin, source: "stream" } },
    { at: 100, signal: gone(null, 0), expect: "gone/exit_code" },
  ],
  "of a headless run that told of the end of its turn leaves what that was": [
    { at: 0, signal: { ...begin, source: "stream" } },
    { at: 99, signal: { ...end, source: "stream" } },
    { at: 100, signal: gone(null, 0), expect: "complete" },
  ],
  "leaves the error that stood there until it painted its last screen": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, error: { cause: "api", text: "API Error: 529" } }), expect: "error/api" },
    { at: 99, signal: screen({ busy: false, closing: "promise" }) },
    { at: 100, signal: gone(null, 143), expect: "error/api" },
  ],
  "leaves no error that a turn came after": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, error: { cause: "api", text: "API Error: 529" } }) },
    { at: 96, signal: screen({ busy: false }) },
    { at: 98, signal: screen({ busy: true }) },
    { at: 100, signal: gone(null, 143), expect: "gone/exit_code" },
  ],
  "leaves no error that was gone for long": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, error: { cause: "api", text: "API Error: 529" } }) },
    { at: 60, signal: screen({ busy: false, closing: "result" }) },
    { at: 100, signal: gone(null, 143), expect: "complete" },
  ],
  "is the end, whatever the terminal shows then": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, closing: "result" }) },
    { at: 100, signal: gone(null, 143), expect: "complete" },
    { at: 102, signal: screen({ busy: true, moving: true }), expect: "complete" },
    { at: 103, signal: screen({ busy: false, composer: "hidden" }), expect: "complete" },
  ],
  "after a finished turn leaves the result, whoever typed": [
    { at: 0, signal: begin },
    { at: 50, signal: end },
    { at: 100, signal: gone(92), expect: "complete" },
  ],
  "after a turn that failed by the program's own word leaves no result, also when its screen is cleared": [
    { at: 0, signal: { kind: "status", source: "program_status", status: "working" } },
    { at: 50, signal: { kind: "status", source: "program_status", status: "error" } },
    { at: 99, signal: screen({ composer: "hidden" }) },
    { at: 100, signal: gone(null, 137), expect: "gone/exit_code" },
  ],
  "is not explained by keys of rouse's own": [
    { at: 0, signal: screen({}) },
    { at: 92, signal: nudge },
    { at: 100, signal: gone(91), expect: "gone" },
  ],
  "with a code that is known goes by the code": [
    { at: 0, signal: begin },
    { at: 100, signal: gone(92, 1), expect: "gone/exit_code" },
  ],
};

describe("an end", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });

  it("of a program that nobody knows is told with the row that it wrote last", () => {
    const { reasons } = walk([
      { at: 0, signal: output },
      { at: 5, signal: screen({ composer: "hidden", tail: ["$ make", "  Error: no rule to make target", ""] }) },
      { at: 9, signal: gone(null, 2) },
    ]);
    expect(reasons).toEqual([
      "The process exited just now (process), exit code 2",
      "Last output 4 s ago (screen): Error: no rule to make target",
    ]);
  });
});
