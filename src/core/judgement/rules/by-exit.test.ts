import { describe, expect, it } from "vitest";
import { START, type Step, screen, walk } from "../../../../test/support/steps.js";

const begin = { kind: "turn", source: "hook", phase: "start" } as const;
const end = { kind: "turn", source: "hook", phase: "end" } as const;
const nudge = { kind: "input", source: "observer", by: "rouse", bytes: 8, submits: true } as const;
/**
 * The exit of a program in a terminal that rouse does not own: its status is unknown, only the time of the last input
 * is known.
 */
const gone = (typed: number | null, code: number | null = null) =>
  ({
    kind: "exit",
    source: "process",
    code,
    signal: null,
    ...(typed === null ? {} : { typedAt: START + typed * 1000 }),
  }) as const;

/** The same of a program that rouse only watches. */
const watched = (status: { code?: number; signal?: number; typed?: number } = {}) =>
  ({ ...gone(status.typed ?? null, status.code ?? null), signal: status.signal ?? null, adopted: true }) as const;

const quit = { kind: "input", source: "human", by: "human", bytes: 1, quits: true } as const;

const reported = (state: "complete" | "error" | "needs_input") =>
  ({ kind: "report", source: "report", state, text: "T" }) as const;
const output = { kind: "output", source: "screen", bytes: 80 } as const;
const ordered = { kind: "input", source: "observer", by: "rouse", bytes: 0, quits: true, ordered: true } as const;
/** For a recovery plan. */
const stopped = { kind: "input", source: "observer", by: "rouse", bytes: 0, quits: true } as const;
const recorded = (phase: "start" | "end") => ({ kind: "turn", source: "transcript", phase }) as const;
const title = (status: "working" | "idle") => ({ kind: "status", source: "title", status }) as const;
const killed = { kind: "exit", source: "process", code: null, signal: 15 } as const;

const PROMISES: Record<string, Step[]> = {
  "after a report leaves the reported result, whatever the exit status": [
    { at: 0, signal: output },
    { at: 5, signal: reported("complete"), expect: "complete" },
    { at: 9, signal: gone(null, 3), expect: "complete" },
  ],
  "after a report of an error leaves that error, although the exit code is 0": [
    { at: 0, signal: output },
    { at: 5, signal: reported("error"), expect: "error" },
    { at: 9, signal: gone(null, 0), expect: "error" },
  ],
  "after a report of needed input is treated like any other exit": [
    { at: 0, signal: output },
    { at: 5, signal: reported("needs_input"), expect: "needs_input/input" },
    { at: 9, signal: gone(null, 3), expect: "gone/exit_code" },
  ],
  "with 0 of an unknown program without an input field is a result": [
    { at: 0, signal: output },
    { at: 9, signal: gone(null, 0), expect: "complete" },
  ],
  "with 0 of a program at its prompt is not a result": [
    { at: 0, signal: screen({ busy: false, composer: "empty" }) },
    { at: 9, signal: gone(null, 0), expect: "idle" },
  ],
  "by the user during a turn is not a result, whatever the program shows while exiting": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ busy: true }) },
    { at: 100, signal: quit },
    { at: 100.4, signal: { ...begin, phase: "interrupted" } },
    { at: 100.5, signal: screen({ busy: false }) },
    { at: 101, signal: gone(null, 0), expect: "idle" },
  ],
  "on request during a turn is not a crash": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ busy: true }) },
    { at: 100, signal: ordered },
    { at: 104, signal: killed, expect: "idle" },
  ],
  "caused by a policy is followed up": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ busy: true }) },
    { at: 100, signal: { ...ordered, ordered: false } },
    { at: 104, signal: killed, expect: "gone" },
  ],
  "by the user leaves the result, whatever is drawn while the program exits": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, ended: true }) },
    { at: 90, expect: "complete" },
    { at: 100, signal: quit },
    { at: 100.2, signal: quit },
    { at: 100.4, signal: screen({ busy: true, composer: "hidden" }) },
    { at: 101, signal: gone(null, 143), expect: "complete" },
  ],
  "by the user leaves no dialog behind": [
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
  "by the user leaves the limit that a dialog showed": [
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
  "in a turn of which no record was written is a crash, although an earlier turn has ended": [
    { at: 0, signal: screen({}) },
    { at: 1, signal: recorded("start") },
    { at: 1, signal: title("working") },
    { at: 50, signal: recorded("end") },
    { at: 50, signal: title("idle") },
    { at: 50.5, signal: screen({ busy: false, ended: true }) },
    { at: 60, signal: title("working") },
    { at: 61, signal: screen({ busy: true, replying: true, reply: "r1" }) },
    { at: 150, signal: screen({ busy: true, replying: true, reply: "r2" }), expect: "working" },
    { at: 160, signal: { ...killed, signal: 9 }, expect: "gone/crash" },
  ],
  "right after the program began to draw again leaves the result of the last turn": [
    { at: 0, signal: screen({}) },
    { at: 1, signal: recorded("start") },
    { at: 1, signal: title("working") },
    { at: 50, signal: recorded("end") },
    { at: 50, signal: title("idle") },
    { at: 50.5, signal: screen({ busy: false, ended: true }) },
    { at: 90, signal: title("working") },
    { at: 94, signal: { ...killed, signal: 9 }, expect: "complete" },
  ],
  "by the user does not make a program stuck that had promised more work": [
    { at: 0, signal: begin },
    { at: 49, signal: screen({ busy: true }) },
    { at: 50, signal: end },
    { at: 51, signal: screen({ busy: false, closing: "promise" }), expect: "complete" },
    { at: 60, signal: quit },
    { at: 61, signal: gone(null, 0), expect: "complete" },
  ],
  "of a program that cleared its screen leaves its last question": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, ended: true, closing: "question" }) },
    { at: 60, expect: "needs_input/input" },
    { at: 99, signal: screen({ busy: false, composer: "hidden" }) },
    { at: 100, signal: gone(null, 143), expect: "needs_input/input" },
  ],
  "at its prompt right after user input is an exit by the user": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: gone(92), expect: "idle" },
  ],
  "at its prompt without user input is unexplained": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: gone(null), expect: "gone" },
  ],
  "long after the last key is unexplained": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: gone(60), expect: "gone" },
  ],
  "in a turn with user input is an exit by the user": [
    { at: 0, signal: begin },
    { at: 100, signal: gone(92), expect: "idle" },
  ],
  "in a turn is not explained by the request that started it": [
    { at: 88, signal: begin },
    { at: 100, signal: gone(87), expect: "gone" },
  ],
  "of a headless run that reported no end of its turn is unexplained, whatever its exit code": [
    { at: 0, signal: { ...begin, source: "stream" } },
    { at: 100, signal: gone(null, 0), expect: "gone/exit_code" },
  ],
  "of a headless run that reported the end of its turn leaves that result": [
    { at: 0, signal: { ...begin, source: "stream" } },
    { at: 99, signal: { ...end, source: "stream" } },
    { at: 100, signal: gone(null, 0), expect: "complete" },
  ],
  "leaves the error that was visible until the last redraw": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, error: { cause: "api", text: "API Error: 529" } }), expect: "error/api" },
    { at: 99, signal: screen({ busy: false, closing: "promise" }) },
    { at: 100, signal: gone(null, 143), expect: "error/api" },
  ],
  "leaves no error that was followed by a turn": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, error: { cause: "api", text: "API Error: 529" } }) },
    { at: 96, signal: screen({ busy: false }) },
    { at: 98, signal: screen({ busy: true }) },
    { at: 100, signal: gone(null, 143), expect: "gone/exit_code" },
  ],
  "leaves no error that disappeared long before": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, error: { cause: "api", text: "API Error: 529" } }) },
    { at: 60, signal: screen({ busy: false, closing: "result" }) },
    { at: 100, signal: gone(null, 143), expect: "complete" },
  ],
  "is final, whatever the terminal shows afterwards": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 50, signal: screen({ busy: false, closing: "result" }) },
    { at: 100, signal: gone(null, 143), expect: "complete" },
    { at: 102, signal: screen({ busy: true, moving: true }), expect: "complete" },
    { at: 103, signal: screen({ busy: false, composer: "hidden" }), expect: "complete" },
  ],
  "after a finished turn leaves the result, even right after user input": [
    { at: 0, signal: begin },
    { at: 50, signal: end },
    { at: 100, signal: gone(92), expect: "complete" },
  ],
  "after a turn that the program reported as failed leaves no result, even on a cleared screen": [
    { at: 0, signal: { kind: "status", source: "program_status", status: "working" } },
    { at: 50, signal: { kind: "status", source: "program_status", status: "error" } },
    { at: 99, signal: screen({ composer: "hidden" }) },
    { at: 100, signal: gone(null, 137), expect: "gone/exit_code" },
  ],
  "is not explained by rouse's own keys": [
    { at: 0, signal: screen({}) },
    { at: 92, signal: nudge },
    { at: 100, signal: gone(91), expect: "gone" },
  ],
  "with a known exit code is judged by the code": [
    { at: 0, signal: begin },
    { at: 100, signal: gone(92, 1), expect: "gone/exit_code" },
  ],
  "of a watched program at its prompt is not a problem, although its status is not known": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: watched(), expect: "idle" },
  ],
  "of a watched program at its prompt is not a problem, whatever its status": [
    { at: 0, signal: screen({}) },
    { at: 100, signal: watched({ code: 1 }), expect: "idle" },
  ],
  "of a watched program in a dialog before its first turn is not a problem": [
    { at: 0, signal: screen({ composer: "hidden", dialog: { prompt: "trust", question: "Trust this folder?" } }) },
    { at: 100, signal: watched(), expect: "idle" },
  ],
  "of a watched program after a turn leaves the result": [
    { at: 0, signal: begin },
    { at: 50, signal: end },
    { at: 100, signal: watched(), expect: "complete" },
  ],
  "of a watched program in a turn is unexplained": [
    { at: 0, signal: begin },
    { at: 100, signal: watched(), expect: "gone" },
  ],
  "of a watched program that was killed in a turn is a crash": [
    { at: 0, signal: begin },
    { at: 100, signal: watched({ signal: 9 }), expect: "gone/crash" },
  ],
  "of a watched program in a turn is unexplained, although the shell below it is already visible": [
    { at: 0, signal: screen({ busy: true }) },
    { at: 97, signal: screen({ busy: false, composer: "hidden" }) },
    { at: 100, signal: watched(), expect: "gone" },
  ],
  "of a watched program in a dialog of its turn is unexplained": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ dialog: { prompt: "permission", question: "Run it?" } }) },
    { at: 100, signal: watched(), expect: "gone" },
  ],
  "of a watched program that fails before its prompt appears is a failure": [
    { at: 0, signal: output },
    { at: 2, signal: watched({ code: 1 }), expect: "gone/exit_code" },
  ],
  "of a watched program without a profile is not a problem if its status is not known": [
    { at: 0, signal: output },
    { at: 100, signal: watched(), expect: "idle" },
  ],
  "of a watched program that rouse stopped is followed up": [
    { at: 0, signal: screen({}) },
    { at: 96, signal: stopped },
    { at: 100, signal: watched(), expect: "gone" },
  ],
  "with 0 of a program that rouse stopped in mid-turn is no result": [
    { at: 0, signal: begin },
    { at: 96, signal: stopped },
    { at: 100, signal: gone(null, 0), expect: "gone" },
  ],
  "of a program that ended its turn because rouse stopped it is no result": [
    { at: 0, signal: begin },
    { at: 50, signal: screen({ busy: true }) },
    { at: 96, signal: stopped },
    { at: 97, signal: end, expect: "complete" },
    { at: 100, signal: gone(null, 0), expect: "gone" },
  ],
  "of a program that rouse stopped after its turn keeps the result": [
    { at: 0, signal: begin },
    { at: 50, signal: end, expect: "complete" },
    { at: 96, signal: stopped },
    { at: 100, signal: killed, expect: "complete" },
  ],
};

describe("an exit", () => {
  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });

  it("of a watched program says that its status is not known", () => {
    const { reasons } = walk([
      { at: 0, signal: screen({}) },
      { at: 100, signal: watched() },
    ]);
    expect(reasons).toEqual(["The process exited outside a turn just now (process); its exit status is not known"]);
  });

  const failed = (code: number, more: object = {}): Step[] => [
    { at: 0, signal: screen({ busy: true, composer: "hidden" }) },
    { at: 5, signal: output },
    {
      at: 5,
      signal: screen({ busy: null, composer: "hidden", failure: { text: "No answer", earlier: true, ...more } }),
    },
    { at: 6, signal: gone(null, code) },
  ];

  it("of an unknown program in a turn is explained by the reason above its last line", () => {
    expect(walk(failed(1)).reasons).toEqual([
      "The process exited in the middle of its work just now (process), exit code 1",
      "Last output 1 s ago (screen): No answer",
    ]);
    const refused = failed(1, { cause: "auth", text: "Incorrect API key" }).slice(0, 3);
    const last = { at: 6, signal: gone(null, 1), expect: "error/auth" };
    expect(walk([...refused, last]).said).toEqual(["6 error/auth"]);
  });

  it("of an unknown program by its user, or with 0, is not explained by a line above its last one", () => {
    const refused = failed(1, { cause: "auth", text: "Incorrect API key" }).slice(0, 3);
    const left = [...refused, { at: 5.5, signal: quit }, { at: 6, signal: gone(null, 130), expect: "idle" }];
    expect(walk(left).said).toEqual(["6 idle"]);
    const done = [...refused, { at: 6, signal: gone(null, 0), expect: "complete" }];
    expect(walk(done).said).toEqual(["6 complete"]);
  });

  it("of an unknown program is reported with its last row of output", () => {
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
