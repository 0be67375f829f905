import { describe, expect, it } from "vitest";
import { START, screen } from "../../../../test/support/steps.js";
import type { Settings } from "../../defaults.js";
import { POLICIES } from "../../policy/builtin.js";
import type { ScreenReading, Signal } from "../../signal.js";
import { PLAIN_TRAITS, type Traits } from "../../traits.js";
import { WhatIf } from "../../what-if.js";
import { type Assessment, assess } from "../assess.js";
import { createEvidence, takeSignal } from "../evidence/evidence.js";
import type { Evidence } from "../evidence/state.js";

type At = [minute: number, signal: Record<string, unknown>];

const shows = (reading: Partial<ScreenReading> = {}): Record<string, unknown> =>
  screen({ busy: null, composer: "hidden", ...reading });
const process = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  kind: "process",
  source: "process",
  alive: true,
  children: 0,
  cpuMs: 1000,
  ...more,
});
const output = { kind: "output", source: "screen", bytes: 90 };
const OWN: Settings = { idle_timeout_minutes: 10, own: { idle_timeout_minutes: 10 } };

/** It produced output in its first minute, and its process was checked. */
const QUIET: readonly At[] = [
  [0, process()],
  [0.5, output],
  [0.5, shows()],
  [1, process()],
];

function evidenceOf(more: readonly At[], traits: Partial<Traits> = {}): Evidence {
  const evidence = createEvidence({ ...PLAIN_TRAITS, ...traits });
  const all = [...QUIET, ...more].sort(([a], [b]) => a - b);
  for (const [minute, signal] of all)
    takeSignal(evidence, { ...signal, at: START + minute * 60_000 } as unknown as Signal);
  return evidence;
}

const judged = (minutes: number, more: readonly At[] = [], settings = OWN, traits: Partial<Traits> = {}): Assessment =>
  assess(evidenceOf(more, traits), START + minutes * 60_000, settings);

const ASKED: At = [0.2, { kind: "input", source: "human", by: "human", submits: true }];
const SETTLED: At = [0.1, shows()];
const MOVED: At = [0.3, shows({ moving: true, reply: "r1" })];

describe("an unknown program", () => {
  it("that got its task at its start is reported after being silent for the idle timeout", () => {
    expect(judged(10)).toMatchObject({ state: "idle" });
    expect(judged(11)).toMatchObject({ state: "stuck", cause: "silent_stream" });
    expect(judged(14, [], {})).toMatchObject({ state: "idle" });
    expect(judged(16, [], {})).toMatchObject({ state: "stuck", level: "report", cause: "silent_stream" });
  });

  it("that writes a file is not acted on until the idle timeout has passed again; a file that is only read changes nothing", () => {
    const file = (role: string): At => [8, { kind: "file", source: "workspace", path: "a", role }];
    expect(judged(12)).toMatchObject({ level: "act" });
    expect(judged(12, [file("access")])).toMatchObject({ level: "act" });
    expect(judged(12, [file("workspace")])).toMatchObject({ state: "stuck", level: "report" });
  });

  it("is starting for a minute, then working as long as it writes, even if the output repeats", () => {
    const said = (minute: number): At => [minute, { kind: "output", source: "screen", bytes: 80 }];
    expect(judged(0.9)).toMatchObject({ state: "starting" });
    expect(judged(2.5, [said(2)])).toMatchObject({
      state: "working",
      reasons: ["Output is repeating, last 30 s ago (screen); cannot tell whether it is mid-turn"],
    });
    expect(judged(3.5, [said(2)])).toMatchObject({ state: "idle" });
  });

  it("may wait for its first command indefinitely with the cursor at a shell prompt", () => {
    const shell: At[] = [[0.6, shows({ caret: "sign" })]];
    expect(judged(0.9, shell)).toMatchObject({ state: "starting" });
    expect(judged(600, shell)).toMatchObject({
      state: "idle",
      reasons: ["Its cursor is at a prompt (screen), no work seen"],
    });
    expect(judged(11, [[0.6, shows({ caret: "text" })]])).toMatchObject({ state: "stuck" });
  });

  it("is working, not idle, until its prompt comes back", () => {
    const turn: At[] = [ASKED, MOVED];
    expect(judged(3, [SETTLED, ...turn])).toMatchObject({ state: "idle" });
    expect(judged(3, [[0.1, shows({ composer: "empty" })], ...turn])).toMatchObject({ state: "working" });
  });

  it("is working for the idle timeout after it reports so", () => {
    const report: At = [8, { kind: "report", source: "report", state: "working", text: "step 3" }];
    expect(judged(17, [report])).toMatchObject({
      state: "working",
      reasons: ["The agent reported working 9 min ago (report): step 3"],
    });
    expect(judged(19, [report])).toMatchObject({ state: "stuck" });
  });

  it("is reported later after false alarms, and never earlier than configured", () => {
    expect(judged(11, [], { ...OWN, silence_patience: 1.5 })).toMatchObject({ state: "idle" });
    expect(judged(16, [], { ...OWN, silence_patience: 1.5 })).toMatchObject({ state: "stuck", level: "act" });
    expect(judged(9, [], { ...OWN, silence_patience: 0.1 })).toMatchObject({ state: "idle" });
  });
});

describe("silence of an unknown program", () => {
  const asked = [SETTLED, ASKED, MOVED];

  it.each([
    ["with its task given at the start", []],
    ["that got a request", asked],
  ])("is acted on after the user's own timeout, by screen and process together (%s)", (_, more) => {
    const { level, kinds, reasons } = judged(12, more);
    expect({ level, kinds }).toEqual({ level: "act", kinds: ["screen", "process"] });
    expect(reasons).toEqual([
      expect.stringMatching(/^No output for 1\d min \(screen\), and nothing on the screen explains it$/),
      expect.stringMatching(
        /^Its process has been idle for 1\d min \(process\), longer than health\.idle_timeout_minutes$/,
      ),
    ]);
  });

  it("is only reported if the timeout is not set, or set by a project", () => {
    expect(judged(600, [], {})).toMatchObject({ state: "stuck", level: "report" });
    expect(judged(600, [], { idle_timeout_minutes: 10 })).toMatchObject({ state: "stuck", level: "report" });
    const lowered: Settings = { idle_timeout_minutes: 10, own: { idle_timeout_minutes: 60 } };
    expect(judged(59, [], lowered)).toMatchObject({ state: "stuck", level: "report" });
    expect(judged(62, [], lowered)).toMatchObject({ state: "stuck", level: "act" });
  });

  it("explains why no further evidence will permit an action", () => {
    expect(judged(600, [], {}).onlyReported).toContain("health.idle_timeout_minutes");
    expect(judged(600, [[0.6, shows({ caret: "text" })]]).onlyReported).toContain(
      "its cursor may be waiting for input",
    );
    expect(judged(11, [[4, process({ cpuMs: 1300 })]])).toMatchObject({ state: "stuck", level: "report" });
    expect(judged(11, [[4, process({ cpuMs: 1300 })]]).onlyReported).toBeUndefined();
  });

  it("counts as screen evidence for a recovery that the user requests", () => {
    expect(judged(600, [], {})).toMatchObject({ level: "report", kinds: ["screen", "process"] });
    const unseen: At = [2, process({ alive: null, children: undefined })];
    expect(judged(600, [unseen], {}).kinds).toContain("screen");
    expect(judged(600, [[0.6, shows({ caret: "text" })]]).kinds).toContain("screen");
  });

  const EXPLAINED: readonly [string, At][] = [
    ["a cursor behind text that may be an input field", [0.6, shows({ caret: "text" })]],
    ["a failed process check", [2, process({ alive: null })]],
    ["a child process that computes", [4, process({ children: 1, childCpuMs: 9000 })]],
    ["a child process that reads or writes", [4, process({ children: 1, childIoBytes: 900_000 })]],
    ["CPU time", [4, process({ cpuMs: 1300 })]],
    ["bytes received", [4, process({ receivedBytes: 900_000 })]],
    ["a changed file", [4, { kind: "file", source: "workspace", path: "a.ts", digest: "1" }]],
    ["a commit", [4, { kind: "commit", source: "workspace", id: "1", subject: "x" }]],
    ["a report", [4, { kind: "report", source: "report", text: "x" }]],
    ["user input", [4, { kind: "input", source: "human", by: "human" }]],
  ];

  it.each(EXPLAINED)("is not acted on at once after %s", (_, sign) => {
    const first: At = [0.7, process({ receivedBytes: 1 })];
    expect(judged(12, [first])).toMatchObject({ level: "act" });
    expect(judged(12, [first, sign])).not.toMatchObject({ level: "act", state: "stuck" });
  });

  it("is acted on although a child process runs, if the child sleeps", () => {
    const asleep: At[] = [2, 5, 9].map((minute) => [
      minute,
      process({ children: 1, newestChildAt: START + 31_000, childCpuMs: minute, childIoBytes: minute * 8 }),
    ]);
    expect(judged(12, asleep)).toMatchObject({ state: "stuck", level: "act" });
  });

  it("is explained while a child process computes, and counts from its end", () => {
    const computes: At[] = [5, 9, 9.5].map((minute) => [
      minute,
      process({ children: 1, childCpuMs: minute * 60_000, cpuMs: minute * 60_000 }),
    ]);
    expect(judged(10, computes)).toMatchObject({
      state: "working",
      reasons: [expect.stringMatching(/^No output for 1?\d min.*child process is using CPU or I\/O/)],
    });
    expect(judged(18, computes)).toMatchObject({ state: "idle" });
    expect(judged(20, computes)).toMatchObject({ state: "stuck" });
  });

  it("is acted on by default if the program only prints, and only after the default timeout", () => {
    const prints: At = [0.6, shows({ prints: true })];
    expect(judged(14, [prints], {})).toMatchObject({ state: "idle" });
    expect(judged(16, [prints], {})).toMatchObject({ state: "stuck", level: "act" });
    expect(judged(14, [prints], { idle_timeout_minutes: 10 })).toMatchObject({ state: "stuck", level: "report" });
    expect(judged(600, [[0.6, shows({ prints: true, caret: "question" })]], {}).onlyReported).toContain("waiting");
    expect(judged(16, [[0.6, shows({ prints: true, caret: "text" })]], {})).toMatchObject({ level: "act" });
    expect(
      judged(600, [prints, [15.9, process({ cpuMs: 9000 })], [599.9, process({ cpuMs: 99_000 })]], {}),
    ).toMatchObject({
      level: "report",
      onlyReported: "its process is using CPU time",
    });
  });

  it("is reported exactly after the number of polls that the user set", () => {
    const polls: Settings = {
      poll_interval_secs: 5,
      stuck_threshold_intervals: 3,
      own: { stuck_threshold_intervals: 3 },
    };
    const prints: At = [0.5, shows({ prints: true })];
    expect(judged(0.5 + 14 / 60, [prints], polls)).not.toMatchObject({ state: "stuck" });
    expect(judged(0.5 + 15 / 60, [prints], polls)).toMatchObject({ state: "stuck", cause: "silent_stream" });
    expect(judged(1, [prints], { ...polls, own: {} })).not.toMatchObject({ state: "stuck" });
  });

  it("returns the time at which it would be acted on", () => {
    const evidence = evidenceOf([[4, process({ cpuMs: 1300 })]]);
    let now = START + 11 * 60_000;
    for (let asks = 0; asks < 40; asks++) {
      const { level, state, recheckAt } = assess(evidence, now, OWN);
      if (state === "stuck" && level === "act") break;
      now = recheckAt as number;
    }
    expect((now - START) / 60_000).toBe(14);
  });

  it("is never judged this way for a known program before its first turn", () => {
    const traits = { versions: { from: "1.0", to: "2.0" } };
    expect(judged(600, [], OWN, traits)).not.toMatchObject({ state: "stuck", cause: "silent_stream" });
  });
});

describe("an unknown program that never printed anything", () => {
  const silent = (minutes: number, more: readonly At[] = []): Assessment => {
    const evidence = createEvidence(PLAIN_TRAITS);
    for (const [minute, signal] of [[0, process()] as At, [0.1, process()] as At, ...more])
      takeSignal(evidence, { ...signal, at: START + minute * 60_000 } as unknown as Signal);
    return assess(evidence, START + minutes * 60_000, {});
  };

  it("is stuck after the idle timeout, and acted on, unless a child process works", () => {
    expect(silent(14)).not.toMatchObject({ state: "stuck" });
    expect(silent(16)).toMatchObject({ state: "stuck", cause: "never_started", level: "act" });
    expect(silent(16, [[15.9, process({ children: 1, childCpuMs: 60_000 })]])).toMatchObject({ state: "working" });
  });
});

describe("a policy", () => {
  const wouldDo = (policy: keyof typeof POLICIES, origin: "spawn" | "tmux" | "run", settings: Settings): string[] => {
    const whatIf = new WhatIf({ policy: POLICIES[policy], origin });
    const evidence = evidenceOf([]);
    for (let minute = 1; minute < 60; minute++) {
      whatIf.assess(assess(evidence, START + minute * 60_000, settings));
    }
    return whatIf.wouldDo.map(({ do: name }) => name).filter((name) => name === "stop" || name === "escalate");
  };

  it("stops a silent session only if rouse started it and the user set the timeout", () => {
    expect(wouldDo("default", "spawn", OWN)).toEqual(["stop", "escalate"]);
    expect(wouldDo("default", "spawn", { idle_timeout_minutes: 10 })).toEqual(["escalate"]);
    expect(wouldDo("default", "tmux", OWN)).toEqual(["escalate"]);
    for (const policy of ["default", "aggressive"] as const) expect(wouldDo(policy, "run", OWN)).toEqual(["escalate"]);
    expect(wouldDo("observe", "spawn", OWN)).toEqual(["escalate"]);
  });
});
