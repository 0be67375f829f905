import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { PLAIN_TRAITS } from "../../traits.js";
import { assess } from "../assess.js";
import { createEvidence, takeSignal } from "../evidence/evidence.js";

const s = (at: number, fields: object) => ({ at, source: "stream", ...fields }) as Signal;
const begin = s(0, { kind: "turn", phase: "start", byUser: true });
const assessed = (signals: readonly Signal[], now: number, settings = {}) => {
  const evidence = createEvidence(PLAIN_TRAITS);
  for (const signal of [begin, ...signals]) takeSignal(evidence, signal);
  const { cause, level } = assess(evidence, now, settings);
  return `${cause} ${level}`;
};

const failing = (times: number): Signal[] =>
  Array.from({ length: times }, (_, i) => [
    s(i * SECOND, { kind: "tool_start", id: `${i}`, tool: "Bash", class: "shell", call: `make ${i}`, round: `${i}` }),
    s(i * SECOND + 500, { kind: "tool_end", id: `${i}`, ok: false, outcome: `o${i}`, raw: `r${i}`, error: "E" }),
  ]).flat();
const writing = (tokens: number): Signal[] => [s(MINUTE, { kind: "tokens", input: 0, output: tokens })];

describe("a loop", () => {
  it("of equal errors is reported at the fifth and acted on at the twentieth", () => {
    expect(assessed(failing(5), 6 * SECOND)).toBe("repeated_error report");
    expect(assessed(failing(19), 20 * SECOND)).toBe("repeated_error report");
    expect(assessed(failing(20), 21 * SECOND)).toBe("repeated_error act");
  });

  it("of equal errors is also seen in a watched workspace without changes, even if it never had any", () => {
    const kindsOf = (...more: Signal[]) => {
      const evidence = createEvidence(PLAIN_TRAITS);
      for (const signal of [begin, ...more, ...failing(20)]) takeSignal(evidence, signal);
      return assess(evidence, 21 * SECOND).kinds;
    };
    const watched = s(0, { kind: "session", source: "workspace", cwd: "/w" });
    const change = s(10 * SECOND, { kind: "file", source: "workspace", path: "a.ts", digest: "d" });
    expect(kindsOf()).toEqual(["record"]);
    expect(kindsOf(watched)).toEqual(["record", "workspace"]);
    expect(kindsOf({ ...watched, at: 10 * SECOND })).toEqual(["record"]);
    expect(kindsOf(watched, change)).not.toContain("workspace");
  });

  it("of wasted tokens is acted on at twice the reporting threshold", () => {
    expect(assessed(writing(100_000), 61 * SECOND)).toBe("no_progress report");
    expect(assessed(writing(200_000), 61 * SECOND)).toBe("no_progress act");
    expect(assessed(writing(2000), 61 * SECOND, { burn_output_tokens: 1000 })).toBe("no_progress act");
  });
});

describe("visits to one file", () => {
  const visits = Array.from({ length: 8 }, (_, i) => [
    s(i * MINUTE, { kind: "tool_start", id: `${i}`, tool: "Edit", class: "edit", subject: "a.ts", call: `edit ${i}` }),
    s(i * MINUTE + 1, { kind: "tool_end", id: `${i}`, ok: false, outcome: `o${i}`, raw: `r${i}`, error: `E${i}` }),
  ]).flat();

  it("are not a loop by themselves, because most work has them", () => {
    expect(assessed(visits, 7 * MINUTE + 2)).toBe("null act");
  });
});

describe("a busy screen that stays the same", () => {
  const reading = { reply: "r", lastLine: "l", busy: true, moving: true, composer: "empty", replying: true, tokens: 5 };
  const still = (seconds: number, polls?: number): string =>
    assessed(
      [s(1000, { kind: "screen", source: "screen", reading })],
      seconds * SECOND,
      polls === undefined ? {} : { poll_interval_secs: 10, own: { stuck_threshold_intervals: polls } },
    );

  it("is stuck after the number of checks set by the user, whether shorter or longer than rouse's own clock", () => {
    expect([still(90), still(125)]).toEqual(["null act", "silent_stream report"]);
    expect([still(20, 2), still(22, 2)]).toEqual(["null act", "silent_stream report"]);
    expect([still(590, 60), still(602, 60)]).toEqual(["null act", "silent_stream act"]);
  });
});

describe("a silent stream", () => {
  const silent = (own: number, at: number): string => {
    const evidence = createEvidence({ ...PLAIN_TRAITS, ownTimeoutMs: 300_000 });
    for (const signal of [
      begin,
      s(0, { kind: "delta", chars: 1 }),
      s(0, { kind: "delta", source: "transcript", chars: 1 }),
    ])
      takeSignal(evidence, signal);
    takeSignal(
      evidence,
      s(0, { kind: "process", source: "process", alive: true, children: 0, cpuMs: 1, newestChildAt: null }),
    );
    return assess(evidence, at, { own_timeout_seconds: own }).level;
  };

  it("is acted on 10 % after the program's own time-out, which the user may override", () => {
    expect([silent(0, 329 * SECOND), silent(0, 330 * SECOND)]).toEqual(["report", "act"]);
    expect([silent(600, 330 * SECOND), silent(600, 660 * SECOND)]).toEqual(["report", "act"]);
    expect(silent(100, 111 * SECOND)).toBe("act");
  });
});
