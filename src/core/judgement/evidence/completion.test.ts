import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { MINUTE } from "../../text/time.js";
import { completionVerdict, createCompletion, takeCompletion } from "./completion.js";

const s = (at: number, fields: object) => ({ at, source: "transcript", ...fields }) as Signal;
const said = (at: number, role: string, fields: object = {}) =>
  s(at, { kind: "message", role, digest: "d", ...fields });
const turn = (at: number, phase: string) => s(at, { kind: "turn", phase });
const verdictAfter = (signals: Signal[], now: number, options = {}) => {
  const state = createCompletion();
  for (const signal of signals) takeCompletion(state, signal);
  return completionVerdict(state, now, options);
};
const ASKED = [said(0, "user", { marker: true }), turn(1, "start")];
const LATE = 11 * MINUTE;

describe("the completion marker", () => {
  it("is reported as missing ten minutes after the turn ended", () => {
    const signals = [...ASKED, turn(1000, "end")];
    expect(verdictAfter(signals, 1000 + 10 * MINUTE)).toBeNull();
    expect(verdictAfter(signals, 1000 + 10 * MINUTE + 1)).toMatchObject({
      cause: "no_completion_signal",
      since: 1000,
      confidence: 0.7,
    });
  });

  it("is not expected if it was not requested", () => {
    expect(verdictAfter([said(0, "user"), turn(1, "start"), turn(2, "end")], LATE)).toBeNull();
  });

  it("is still expected after a nudge", () => {
    const nudged = [...ASKED, turn(2, "end"), said(3, "user", { own: true }), turn(4, "start"), turn(5, "end")];
    expect(verdictAfter(nudged, LATE)?.since).toBe(5);
  });

  it.each([
    ["it was given", [...ASKED, said(2, "assistant", { marker: true }), turn(3, "end")]],
    ["completion was reported", [...ASKED, s(2, { kind: "report", state: "complete" }), turn(3, "end")]],
    ["the turn is running", ASKED],
    ["the next turn has started", [...ASKED, turn(2, "end"), turn(3, "start")]],
    ["a prompt is open", [...ASKED, turn(2, "end"), s(3, { kind: "prompt", open: true })]],
    [
      "a new session does not ask for one",
      [...ASKED, said(2, "user", { newSession: true }), turn(3, "start"), turn(4, "end")],
    ],
    ["the machine slept", [...ASKED, turn(2, "end"), s(LATE, { kind: "gap", from: 5, to: LATE })]],
  ] as [string, Signal[]][])("is not reported as missing if %s", (_, signals) => {
    expect(verdictAfter(signals, LATE)).toBeNull();
  });
});
