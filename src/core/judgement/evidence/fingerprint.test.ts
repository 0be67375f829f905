import { describe, expect, it } from "vitest";
import type { ScreenReading, Signal } from "../../signal.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { createFingerprint, fingerprintVerdict, takeFingerprint } from "./fingerprint.js";

const s = (at: number, fields: object) => ({ at, source: "screen", ...fields }) as Signal;
const screen = (at: number, fields: Partial<ScreenReading> = {}) => {
  const reading = { reply: "r", lastLine: "l", busy: true, moving: true, composer: "empty", ...fields };
  return s(at, { kind: "screen", reading });
};
const tool = (at: number) => s(at, { kind: "tool_start", id: "1", tool: "Bash", class: "shell", call: "c" });
const toolEnd = (at: number) => s(at, { kind: "tool_end", id: "1", ok: true, outcome: "o", raw: "r" });
const verdictAfter = (signals: Signal[], now: number, options = {}) => {
  const state = createFingerprint();
  for (const signal of signals) takeFingerprint(state, signal);
  return fingerprintVerdict(state, now, options);
};

describe("the fingerprint over polls", () => {
  it.each([
    [89, null],
    [90, 3],
    [270, 9],
  ])("of a busy screen that is unchanged for %d s gives the number of intervals", (seconds, intervals) => {
    expect(verdictAfter([screen(0)], seconds * SECOND)?.intervals_stuck ?? null).toBe(intervals);
  });

  it("restarts with every change, but not with a moving spinner", () => {
    const moving = [screen(0), screen(30 * SECOND, { moving: false }), screen(60 * SECOND, { elapsed: 60 })];
    expect(verdictAfter(moving, 90 * SECOND)).toMatchObject({ since: 0, intervals_stuck: 3 });
    for (const change of [{ reply: "x" }, { lastLine: "x" }, { tokens: 5 }]) {
      expect(verdictAfter([screen(0), screen(60 * SECOND, change)], 120 * SECOND)).toBeNull();
    }
    const delta = s(60 * SECOND, { kind: "delta", channel: "thought", chars: 4, source: "stream" });
    expect(verdictAfter([screen(0), delta], 120 * SECOND)).toBeNull();
  });

  it.each([
    ["never busy", [screen(0, { busy: false })]],
    ["of unknown status", [screen(0, { busy: null })]],
    ["finished", [screen(0), screen(1, { busy: false, ended: true })]],
    ["exited", [screen(0), s(1, { kind: "exit", code: 0, signal: null })]],
    ["at a dialog", [screen(0, { dialog: { prompt: "permission", question: "May I?" } })]],
    ["with an open tool", [screen(0), tool(1)]],
    ["with a tool on the screen", [screen(0, { tool: { class: "shell" } })]],
    ["retrying", [screen(0, { retry: { text: "Retrying" } })]],
    ["at a limit", [screen(0, { limit: { text: "limit reached" } })]],
    ["compacting", [screen(0), s(1, { kind: "compaction", phase: "start" })]],
    ["asking by a hook", [screen(0), s(1, { kind: "prompt", open: true })]],
    ["never seen", [s(0, { kind: "turn", phase: "start" })]],
  ] as [string, Signal[]][])("does not run for an agent that is %s", (_, signals) => {
    expect(verdictAfter(signals, 60 * MINUTE)).toBeNull();
  });

  it("counts from the end of an explanation for the stillness", () => {
    const signals = [screen(0), tool(1), toolEnd(10 * MINUTE)];
    expect(verdictAfter(signals, 11 * MINUTE)).toBeNull();
    expect(verdictAfter(signals, 11.5 * MINUTE)).toMatchObject({ since: 10 * MINUTE, intervals_stuck: 3 });
  });

  it("does not count sleep, and trusts a caller that knows of no running turn", () => {
    const slept = s(9 * MINUTE, { kind: "gap", from: SECOND, to: 9 * MINUTE, source: "observer" });
    expect(verdictAfter([screen(0), slept], 10 * MINUTE)).toBeNull();
    expect(verdictAfter([screen(0)], 10 * MINUTE, { turnActive: false })).toBeNull();
  });

  it("uses the interval and threshold of the caller", () => {
    const options = { poll_interval_secs: 10, stuck_threshold_intervals: 5 };
    expect(verdictAfter([screen(0)], 49 * SECOND, options)).toBeNull();
    expect(verdictAfter([screen(0)], 50 * SECOND, options)?.intervals_stuck).toBe(5);
  });
});
