import { describe, expect, it } from "vitest";
import { type Step, screen, walk } from "../../../../test/support/steps.js";
import type { ProcessSignal, ScreenReading } from "../../signal.js";

const output = { kind: "output", source: "screen", bytes: 40 } as const;
const prints = (reading: Partial<ScreenReading>) =>
  screen({ busy: null, composer: "hidden", prints: true, ...reading });
const CUT = { caret: "text", cut: true } as const;
const OPEN = { connection: "open" } as const;

/** It prints, and its process is checked every ten seconds until second 300. */
const hangs = (reading: Partial<ScreenReading>, sampleAt: (at: number) => Partial<ProcessSignal>): Step[] => [
  { at: 0, signal: output },
  { at: 0, signal: prints({ ...reading, moving: true }) },
  { at: 3, signal: prints(reading) },
  ...Array.from({ length: 30 }, (_, n): Step => {
    const at = (n + 1) * 10;
    const sample = { kind: "process", source: "process", alive: true, children: 0, cpuMs: 1 } as const;
    return { at, signal: { ...sample, receivedBytes: 900, ...sampleAt(at) } };
  }),
];
/** The same with a spinner, which is drawn all the time and costs CPU time. */
const spins = (
  sampleAt: (at: number) => Partial<ProcessSignal>,
  replyAt: (at: number) => string = () => "a",
  moving = true,
): Step[] =>
  hangs({}, (at) => ({ cpuMs: at * 30, ...sampleAt(at) })).flatMap(({ at, ...step }): Step[] => [
    { at, signal: output },
    { at, signal: prints({ prints: false, moving, reply: replyAt(at) }) },
    ...("signal" in step && step.signal?.kind === "process" ? [{ at, signal: step.signal }] : []),
  ]);
const until = (at: number, steps: Step[], ...more: Step[]): Step[] =>
  [...steps.filter((step) => step.at <= at), ...more].sort((a, b) => a.at - b.at);
const verdictAt = (at: number, steps: Step[]): string | undefined =>
  walk([...until(at, steps), { at, expect: "" }]).said[0]?.replace(/^\S+ /, "");

describe("a program without a profile that prints nothing", () => {
  it("hangs after 150 s if its text stops in a sentence and its open connection brings nothing", () => {
    const steps = hangs(CUT, () => OPEN);
    expect(verdictAt(155, steps)).toBe("idle");
    expect(verdictAt(161, steps)).toBe("stuck/silent_stream");
    expect(walk([...until(170, steps), { at: 190, expect: "" }]).reasons).toEqual([
      "No output for 3 min (screen), and the text stops in the middle of a sentence",
      "The connection is open and has brought nothing new for 3 min (process)",
    ]);
  });

  it("hangs after 150 s if a request has had no answer, whatever it printed before", () => {
    const steps = hangs({}, () => ({ connection: "asks" }));
    expect(verdictAt(155, steps)).toBe("idle");
    expect(verdictAt(161, steps)).toBe("stuck/silent_stream");
  });

  it("hangs although pings arrive after its text stopped", () => {
    const steps = hangs(CUT, (at) => ({ ...OPEN, receivedBytes: 900 + at * 4 }));
    expect(verdictAt(161, steps)).toBe("stuck/silent_stream");
  });

  it.each([
    ["its spinner moves", true],
    ["only its colours change", false],
  ])("hangs although %s and that uses CPU time, if a request has had no answer", (_, moving) => {
    const steps = spins(() => ({ connection: "asks" }), undefined, moving);
    expect(verdictAt(145, steps)).toBe("working");
    expect(verdictAt(165, steps)).toBe("stuck/silent_stream");
    expect(walk([...until(190, steps), { at: 190, expect: "" }]).reasons.slice(0, 2)).toEqual([
      "No new text for 3 min (screen)",
      "A request has had no answer for 3 min (process)",
    ]);
  });

  it.each<[string, (at: number) => Partial<ProcessSignal>, (at: number) => string]>([
    ["its connection rests", () => OPEN, () => "a"],
    ["it has no connection", () => ({}), () => "a"],
    ["a child computes", (at) => ({ connection: "asks", children: 1, childCpuMs: at * 500 }), () => "a"],
    ["bytes arrive", (at) => ({ connection: "asks", receivedBytes: 900 + at }), () => "a"],
    ["its text changes", () => ({ connection: "asks" }), (at) => `${at}`],
  ])("is at work while its spinner moves and %s", (_, sampleAt, replyAt) => {
    for (const at of [165, 240, 300]) expect(verdictAt(at, spins(sampleAt, replyAt))).toBe("working");
  });

  it.each<[string, Partial<ScreenReading>, (at: number) => Partial<ProcessSignal>]>([
    ["prints whole lines, and its connection rests", {}, () => OPEN],
    ["waits behind a question", { caret: "question" }, () => ({ connection: "asks" })],
    ["waits behind a sign", { caret: "sign" }, () => ({ connection: "asks" })],
    ["waits behind a space", { caret: "text" }, () => OPEN],
    ["receives a reply", CUT, (at) => ({ ...OPEN, receivedBytes: 900 + at * 100 })],
    ["receives bytes for another request", {}, (at) => ({ connection: "asks", receivedBytes: 900 + at })],
    ["has no connection", CUT, () => ({})],
    ["has a new request every minute", {}, (at) => ({ connection: at % 60 < 30 ? "asks" : "open" })],
    ["computes", CUT, (at) => ({ ...OPEN, cpuMs: at * 500 })],
    ["lets a child compute", CUT, (at) => ({ ...OPEN, children: 1, childCpuMs: at * 500 })],
    ["cannot be checked any more", CUT, (at) => (at > 100 ? { alive: null } : OPEN)],
  ])("is not taken for a hang within five minutes if it %s", (_, reading, sampleAt) => {
    for (const at of [161, 240, 300]) expect(verdictAt(at, hangs(reading, sampleAt))).not.toMatch(/^stuck/);
  });

  it("that hangs is only reported until the idle timeout has passed", () => {
    const steps = hangs(CUT, () => OPEN);
    const { reasons } = walk([...steps, { at: 300, expect: "stuck/silent_stream" }]);
    expect(reasons.join()).not.toContain("longer than");
    const late = walk([...steps, { at: 930, expect: "stuck/silent_stream" }]);
    expect(late.reasons.join()).toContain("longer than health.idle_timeout_minutes");
  });
});
