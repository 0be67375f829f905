import { describe, expect, it } from "vitest";
import type { ScreenReading, Signal } from "../../signal.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { createLifecycle, neverExitedVerdict, neverStartedVerdict, takeLifecycle } from "./lifecycle.js";

const s = (at: number, fields: object) => ({ at, source: "hook", ...fields }) as Signal;
const up = (at: number, alive: boolean | null = true) =>
  s(at, { kind: "process", source: "process", alive, children: 0, cpuMs: 0 });
const submit = (at: number, by = "human") => s(at, { kind: "input", source: "human", by, bytes: 1, submits: true });
const screen = (at: number, fields: Partial<ScreenReading> = {}) => {
  const reading = { reply: "r", lastLine: "l", busy: false, moving: false, composer: "empty", ...fields };
  return s(at, { kind: "screen", source: "screen", reading });
};
const stateAfter = (signals: Signal[]) => {
  const state = createLifecycle();
  for (const signal of signals) takeLifecycle(state, signal);
  return state;
};

describe("never started", () => {
  it.each([
    ["a prompt that stays in the composer", [screen(0, { composer: "draft" }), submit(10)], 130 * SECOND, 10],
    ["a first prompt submitted 120 s ago", [screen(0, { composer: "draft" }), submit(10)], 10 + 120 * SECOND, null],
    [
      "a second prompt submitted 70 s ago",
      [screen(0, { composer: "draft" }), submit(1), screen(2, { busy: true, composer: "draft" }), submit(10)],
      80 * SECOND,
      10,
    ],
    ["a prompt by rouse that vanished", [screen(0), submit(10, "rouse")], 130 * SECOND, 10],
    ["Enter in an empty composer", [screen(0), submit(10)], 70 * SECOND, null],
    [
      "a prompt answered by bytes only",
      [screen(0, { composer: "draft" }), submit(1), s(2, { kind: "output", bytes: 9 })],
      3 * MINUTE,
      1,
    ],
    [
      "a prompt typed before the first screen",
      [submit(0), s(1, { kind: "output", bytes: 9 }), screen(2, { composer: "draft" })],
      9 * MINUTE,
      null,
    ],
    ["a prompt with a turn", [submit(0), s(1, { kind: "turn", phase: "start" })], 2 * MINUTE, null],
    ["a prompt with a busy screen", [submit(0), screen(1, { busy: true })], 2 * MINUTE, null],
    ["a slash command", [screen(0), submit(1), screen(2, { reply: "help" })], 2 * MINUTE, null],
    [
      "a prompt with an error",
      [submit(0), s(1, { kind: "error", cause: "auth", final: true, digest: "d" })],
      2 * MINUTE,
      null,
    ],
    ["an exit after the prompt", [submit(0), s(1, { kind: "exit", code: 0, signal: null })], 2 * MINUTE, null],
    ["a silent process", [up(0)], 2 * MINUTE + 1, 0],
    ["a process that is two minutes old", [up(0)], 2 * MINUTE, null],
    ["a process at its composer", [up(0), screen(1)], 9 * MINUTE, null],
    ["an exited process", [up(0), up(1, false)], 9 * MINUTE, null],
    ["a silent process that slept", [up(0), s(9 * MINUTE, { kind: "gap", from: 1, to: 9 * MINUTE })], 9 * MINUTE, null],
  ] as [string, Signal[], number, number | null][])("is decided for %s", (_, signals, now, since) => {
    expect(neverStartedVerdict(stateAfter(signals), now)?.since ?? null).toBe(since);
  });

  it("trusts a caller that sees a turn", () => {
    expect(neverStartedVerdict(stateAfter([submit(0)]), MINUTE * 2, { turnActive: true })).toBeNull();
  });
});

describe("never exited", () => {
  const result = s(10, { kind: "turn", phase: "end", source: "stream" });
  it.each([
    ["a result and a process that is still running", [up(0), result, up(50)], 61 * SECOND, 10],
    ["a result a minute ago", [up(0), result], 10 + 60 * SECOND, null],
    ["a result and an exit", [up(0), result, s(20, { kind: "exit", code: 0, signal: null })], 2 * MINUTE, null],
    ["a result without a process check", [result], 2 * MINUTE, null],
    ["a result and a failed probe", [up(0, null), result], 2 * MINUTE, null],
    ["a further turn", [up(0), result, s(20, { kind: "turn", phase: "start", source: "stream" })], 2 * MINUTE, null],
    ["the end of a turn in a terminal", [up(0), { ...result, source: "hook" }], 2 * MINUTE, null],
  ] as [string, Signal[], number, number | null][])("is decided after %s", (_, signals, now, since) => {
    expect(neverExitedVerdict(stateAfter(signals), now)?.since ?? null).toBe(since);
  });
});
