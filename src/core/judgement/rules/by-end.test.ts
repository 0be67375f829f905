import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";

const asked = { kind: "input", source: "human", by: "human", bytes: 2, submits: true } as const;
const begin = { kind: "turn", source: "hook", phase: "start" } as const;
const end = { kind: "turn", source: "hook", phase: "end" } as const;
const promise = { kind: "message", source: "hook", role: "assistant", digest: "m", closing: "promise" } as const;

const PROMISES: Record<string, Step[]> = {
  "by a record is believed at once": [
    { at: 0, signal: begin },
    { at: 5, signal: end, expect: "complete" },
  ],
  "by a title is believed when it lasts": [
    { at: 0, signal: asked },
    { at: 1, signal: { kind: "status", source: "title", status: "working" } },
    { at: 5, signal: { kind: "status", source: "title", status: "idle" }, expect: "working" },
    { at: 5.5, expect: "complete" },
  ],
  "by the program's own flag waits for its record, which names the kind of end": [
    { at: 0, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } },
    { at: 0, signal: { kind: "status", source: "session_file", status: "working" } },
    { at: 5, signal: { kind: "status", source: "session_file", status: "idle" }, expect: "working" },
    { at: 6, signal: { ...promise, source: "transcript", closing: "question" } },
    { at: 6, signal: { kind: "turn", source: "transcript", phase: "end" }, expect: "needs_input/input" },
  ],
  "of a turn too short for the flag is taken from its record, and never before it": [
    { at: 0, signal: { kind: "status", source: "session_file", status: "idle" }, expect: "idle" },
    { at: 5, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true }, expect: "working" },
    { at: 6, signal: { ...promise, source: "transcript", closing: "result" }, expect: "working" },
    { at: 7, signal: { kind: "turn", source: "transcript", phase: "end" }, expect: "complete" },
  ],
  "that was not seen is known by the question that the program shows for it": [
    { at: 0, signal: { kind: "status", source: "session_file", status: "idle" }, expect: "idle" },
    { at: 5, signal: { kind: "status", source: "session_file", status: "idle", asks: "Which?" } },
    { at: 8, expect: "needs_input/input" },
    { at: 9, signal: { kind: "status", source: "session_file", status: "working" }, expect: "working" },
  ],
  "is not inferred from a flag that has not changed since before the turn": [
    { at: 0, signal: { kind: "status", source: "program_status", status: "idle" }, expect: "idle" },
    { at: 5, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true }, expect: "working" },
    { at: 12, expect: "working" },
    { at: 13, signal: { kind: "status", source: "program_status", status: "working" }, expect: "working" },
    { at: 20, signal: { kind: "turn", source: "transcript", phase: "end" } },
    { at: 20, signal: { kind: "status", source: "program_status", status: "done" }, expect: "complete" },
  ],
  "is not inferred from a state file that fell before the turn and is read during it": [
    { at: 0, signal: { kind: "status", source: "session_file", status: "working" } },
    { at: 4, signal: screen({ composer: "empty", busy: false }) },
    { at: 6, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } },
    { at: 5, signal: { kind: "status", source: "session_file", status: "idle" } },
    { at: 7, expect: "working" },
    { at: 14, expect: "working" },
    { at: 15, signal: { kind: "status", source: "session_file", status: "working" }, expect: "working" },
  ],
  "is not inferred while the program only starts its servers, even if a user types meanwhile": [
    { at: 0, signal: screen({ busy: false, composer: "empty" }) },
    { at: 0, signal: { kind: "status", source: "program_status", status: "idle" } },
    { at: 1, signal: { kind: "status", source: "program_status", status: "working" }, expect: "working" },
    { at: 5, signal: asked },
    { at: 9, signal: { kind: "status", source: "program_status", status: "idle" }, expect: "idle" },
    { at: 60, expect: "idle" },
    { at: 61, signal: { kind: "status", source: "program_status", status: "working" }, expect: "working" },
    { at: 70, signal: { kind: "status", source: "program_status", status: "done" }, expect: "complete" },
  ],
  "is believed without a record if none is written in time": [
    { at: 0, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } },
    { at: 0, signal: { kind: "status", source: "session_file", status: "working" } },
    { at: 5, signal: { kind: "status", source: "session_file", status: "idle" }, expect: "working" },
    { at: 7, expect: "complete" },
  ],
  "by the program's own status waits for the screen if there is no record": [
    { at: 0, signal: { kind: "status", source: "program_status", status: "working" } },
    { at: 1, signal: screen({ busy: true, reply: "a" }) },
    { at: 5, signal: { kind: "status", source: "program_status", status: "done" }, expect: "working" },
    { at: 6, signal: screen({ busy: false, reply: "b", closing: "question" }), expect: "needs_input/input" },
  ],
  "by the screen waits until the reply has stopped growing": [
    { at: 0, signal: asked },
    { at: 1, signal: screen({ busy: true, reply: "a" }) },
    { at: 5, signal: screen({ busy: false, reply: "a" }), expect: "working" },
    { at: 7, signal: screen({ busy: false, reply: "b", replying: true }), expect: "working" },
    { at: 8, expect: "working" },
    { at: 10, expect: "complete" },
  ],
  "by motion alone is believed last": [
    { at: 0, signal: screen({ busy: null, moving: false }) },
    { at: 0, signal: asked },
    { at: 1, signal: screen({ busy: null, moving: true }), expect: "working" },
    { at: 5, signal: screen({ busy: null, moving: false }), expect: "working" },
    { at: 26, expect: "complete" },
  ],
  "by motion alone without a composer is not a result": [
    { at: 0, signal: screen({ busy: null, moving: false, composer: "hidden" }) },
    { at: 0, signal: asked },
    { at: 1, signal: { kind: "output", source: "screen", bytes: 9 } },
    { at: 1, signal: screen({ busy: null, moving: true, composer: "hidden" }) },
    { at: 5, signal: screen({ busy: null, moving: false, composer: "hidden" }) },
    { at: 30, expect: "idle" },
    { at: 910, expect: "stuck/silent_stream" },
  ],
  "with a promise and background work is a wait": [
    { at: 0, signal: begin },
    { at: 1, signal: { kind: "tool_start", source: "hook", id: "b", tool: "Bash", class: "shell", call: "b" } },
    { at: 2, signal: { kind: "tool_end", source: "hook", id: "b", ok: true, outcome: "", raw: "", background: true } },
    { at: 3, signal: promise },
    { at: 4, signal: end, expect: "waiting/background" },
    { at: 3500, expect: "waiting/background" },
    { at: 3700, expect: "stuck/stopped_early" },
  ],
  "that is only presumed may be the pause before the next call": [
    { at: 0, signal: { kind: "turn", source: "transcript", phase: "start" } },
    { at: 1, signal: promise },
    { at: 2, signal: { kind: "turn", source: "transcript", phase: "end", presumed: true }, expect: "working" },
    { at: 500, expect: "working" },
    { at: 610, expect: "stuck/stopped_early" },
  ],
};

/** For a program whose status stays busy while a command outlives the turn. */
const OUTLIVED: Record<string, Step[]> = {
  "is taken from title and record when a background command keeps the flag up": [
    { at: 0, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true } },
    { at: 0, signal: { kind: "status", source: "program_status", status: "working" } },
    { at: 1, signal: { kind: "status", source: "title", status: "working" }, expect: "working" },
    { at: 9, signal: { kind: "status", source: "title", status: "idle" }, expect: "working" },
    { at: 9, signal: { ...promise, source: "transcript", closing: "result" } },
    { at: 9, signal: { kind: "turn", source: "transcript", phase: "end" } },
    { at: 10, expect: "complete" },
    { at: 400, expect: "complete" },
    { at: 500, signal: { kind: "turn", source: "transcript", phase: "start", byUser: true }, expect: "working" },
    { at: 501, signal: { kind: "status", source: "title", status: "working" }, expect: "working" },
    { at: 520, signal: { kind: "status", source: "title", status: "idle" } },
    { at: 520, signal: { kind: "turn", source: "transcript", phase: "end" } },
    { at: 530, signal: { kind: "status", source: "program_status", status: "done" }, expect: "complete" },
  ],
  "is taken from title and screen next to such a flag if there is no record": [
    { at: 0, signal: asked },
    { at: 0, signal: { kind: "status", source: "program_status", status: "working" } },
    { at: 1, signal: { kind: "status", source: "title", status: "working" } },
    { at: 9, signal: { kind: "status", source: "title", status: "idle" } },
    { at: 9, signal: screen({ reply: "r", busy: false }), expect: "working" },
    { at: 10, signal: screen({ reply: "r", busy: false, ended: true, closing: "result" }) },
    { at: 12, expect: "complete" },
  ],
};

describe("the end of a turn", () => {
  const done = { busy: false, replying: true, closing: "result" } as const;
  const stranger: Step[] = [
    { at: 0, signal: screen({ busy: true, moving: true }) },
    { at: 20, signal: screen({ ...done, moving: true }), expect: "working" },
    { at: 40, signal: screen({ ...done, moving: true }), expect: "working" },
    { at: 43, signal: screen({ ...done, moving: false }), expect: "complete" },
    // A user types into the composer.
    { at: 60, signal: screen({ ...done, moving: true, composer: "draft" }), expect: "complete" },
  ];

  it("of an unknown program is not inferred from an empty screen", () => {
    const { said, expected } = walk([
      { at: 0, signal: screen({ busy: true, moving: true }) },
      { at: 5, signal: screen({ busy: false, lastLine: "" }), expect: "working" },
      { at: 20, expect: "idle" },
      { at: 30, signal: screen({ busy: true, moving: true }), expect: "working" },
      { at: 50, signal: screen(done) },
      { at: 60, expect: "complete" },
    ]);
    expect(said).toEqual(expected);
  });

  it("of an unknown program is believed when its screen is still, and stays believed", () => {
    const { said, expected } = walk(stranger);
    expect(said).toEqual(expected);
  });

  it("of a known program is believed whatever moves", () => {
    const { said } = walk(stranger, { versions: { from: "1.0.0", to: "2.0.0" } });
    expect(said.slice(0, 2)).toEqual(["20 working", "40 complete"]);
  });

  it.each(Object.entries(PROMISES))("%s", (_, steps) => {
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });

  const question = { busy: false, replying: true, ended: true, closing: "question", asks: "JSON or TOML?" } as const;

  it.each(Object.entries(OUTLIVED))("%s", (_, steps) => {
    const { said, expected } = walk(steps, { statusOutlivesTurn: true });
    expect(said).toEqual(expected);
  });

  it("is not taken from title and record against the flag of a program whose status ends with the turn", () => {
    const [steps = []] = Object.values(OUTLIVED);
    const { said } = walk(steps.filter(({ at }) => at <= 10));
    expect(said.at(-1)).toBe("10 working");
  });

  it.each([2, 1])("of a turn of %d s, too short to be seen writing, is found by the question that it left", (s) => {
    const steps: Step[] = [
      { at: 0, signal: screen({ busy: false, composer: "empty" }), expect: "idle" },
      { at: 0.5, signal: { kind: "status", source: "title", status: "working" }, expect: "working" },
      { at: 0.5 + s, signal: { kind: "status", source: "title", status: "idle" } },
      { at: 1 + s, signal: screen({ ...question, reply: "r1" }), expect: "needs_input/input" },
      { at: 60, expect: "needs_input/input" },
    ];
    const quiet = walk(steps, { startsQuiet: true });
    expect(quiet.said).toEqual(quiet.expected);
  });

  it.each([0.5, 5])(
    "is not inferred while Codex starts its servers for %d s and redraws a resumed conversation",
    (s) => {
      for (const source of ["title", "program_status"] as const)
        for (const painted of [question, { ...question, closing: "result" } as const]) {
          const steps: Step[] = [
            { at: 0, signal: screen({ busy: false, composer: "empty" }) },
            { at: 1, signal: { kind: "status", source, status: "working" }, expect: "working" },
            { at: 2, signal: screen({ ...painted, reply: "r1" }) },
            { at: 1 + s, signal: { kind: "status", source, status: "idle" }, expect: "idle" },
            { at: 60, expect: "idle" },
            { at: 61, signal: { kind: "status", source, status: "clear" }, expect: "idle" },
            { at: 61, signal: { kind: "exit", source: "process", code: 0, signal: null }, expect: "idle" },
          ];
          const { said, expected } = walk(steps.toSorted((a, b) => a.at - b.at));
          expect(said).toEqual(expected);
        }
    },
  );

  it("of a turn that no check could read is believed once its text was read", () => {
    const steps: Step[] = [
      { at: 0, signal: screen({ busy: false, composer: "empty" }) },
      { at: 2, signal: { kind: "status", source: "program_status", status: "working" } },
      { at: 2.7, signal: { kind: "status", source: "program_status", status: "done" }, expect: "working" },
      { at: 3.5, signal: screen({ ...question, reply: "r1" }), expect: "needs_input/input" },
    ];
    const { said, expected } = walk(steps);
    expect(said).toEqual(expected);
  });

  it("is believed later for a program that marks its ends and has not marked this one", () => {
    const steps: Step[] = [
      { at: 0, signal: asked },
      { at: 1, signal: screen({ busy: true }) },
      { at: 5, signal: screen({ busy: false }) },
      { at: 12, expect: "working" },
      { at: 16, expect: "complete" },
    ];
    const marked = walk(steps, { marksEnd: true });
    expect(marked.said).toEqual(marked.expected);
  });

  const KNOWN = { versions: { from: "1.0.0", to: "2.0.0" }, startsQuiet: true };

  it("of a known program is not seen in a prompt that was typed while the program was loading", () => {
    const { said, expected } = walk(
      [
        { at: 0, signal: screen({ busy: null, moving: false, composer: "hidden" }) },
        { at: 1, signal: asked },
        { at: 2, signal: screen({ busy: null, moving: true, composer: "hidden" }), expect: "starting" },
        { at: 8, signal: screen({ busy: false, lastLine: "logo", reply: "logo" }), expect: "idle" },
        { at: 30, expect: "idle" },
        { at: 300, expect: "idle" },
      ],
      KNOWN,
    );
    expect(said).toEqual(expected);
  });

  it("of a known program that was only started is not seen in a busy mark without text", () => {
    const { said, expected } = walk(
      [
        { at: 0, signal: screen({ busy: false }), expect: "idle" },
        { at: 10, signal: screen({ busy: true, moving: true }) },
        { at: 18, signal: screen({ busy: false, reply: "logo 2" }) },
        { at: 40, expect: "idle" },
        // The first real turn.
        { at: 50, signal: asked },
        { at: 51, signal: screen({ busy: true, reply: "logo 2" }), expect: "working" },
        { at: 58, signal: screen({ busy: false, reply: "text", replying: true, closing: "result" }) },
        { at: 75, expect: "complete" },
      ],
      KNOWN,
    );
    expect(said).toEqual(expected);
  });

  it("does not wait for a mark that an older release may lack", () => {
    const steps: Step[] = [
      { at: 0, signal: { kind: "session", source: "screen", version: "1.9.0" } },
      { at: 0, signal: screen({ busy: false }) },
      { at: 0, signal: asked },
      { at: 1, signal: screen({ busy: true }) },
      { at: 5, signal: screen({ busy: false, replying: true, closing: "result" }), expect: "working" },
      { at: 8, expect: "complete" },
    ];
    const older = walk(steps, { marksEnd: true, versions: { from: "2.0.0", to: "3.0.0" } });
    expect(older.said).toEqual(older.expected);
  });
});
