import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { MINUTE } from "../../text/time.js";
import { createErrors, errorsVerdict, takeErrors } from "./errors.js";

const s = (at: number, fields: object) => ({ at, source: "transcript", ...fields }) as Signal;
const failed = (at: number, error = "e1", more: object = {}) =>
  s(at, {
    kind: "tool_end",
    id: `${at}`,
    ok: false,
    outcome: "o",
    raw: "r",
    error,
    preview: "no such module",
    ...more,
  });
const verdictAfter = (signals: Signal[], now: number, options = {}) => {
  const state = createErrors();
  for (const signal of signals) takeErrors(state, signal);
  return errorsVerdict(state, now, options);
};
const again = (at: number) => failed(at);
const times = (count: number, spacing: number, make: (at: number, i: number) => Signal) =>
  Array.from({ length: count }, (_, i) => make(i * spacing, i));

describe("a repeated error", () => {
  it("is reported at the fifth equal error within ten minutes, counted from the first", () => {
    expect(verdictAfter(times(4, MINUTE, again), 4 * MINUTE)).toBeNull();
    expect(verdictAfter(times(5, MINUTE, again), 4 * MINUTE)).toEqual({
      cause: "repeated_error",
      since: 0,
      count: 5,
      confidence: 0.5,
      reason: "The same error 5 times in 4 min (transcript): no such module",
    });
  });

  it.each([
    ["five within more than ten minutes", times(5, 3 * MINUTE, again), 12 * MINUTE],
    ["five different errors", times(5, MINUTE, (at, i) => failed(at, `e${i}`)), 4 * MINUTE],
    ["failures of the service", times(9, MINUTE, (at) => failed(at, "e", { infra: "overload" })), 8 * MINUTE],
    ["calls that the user refused", times(9, MINUTE, (at) => failed(at, "e", { refused: true })), 8 * MINUTE],
    ["calls that the user interrupted", times(9, MINUTE, (at) => failed(at, "e", { interrupted: true })), 8 * MINUTE],
    ["api errors", times(9, 1, (at) => s(at, { kind: "error", cause: "api", final: false, digest: "d" })), MINUTE],
    ["errors long ago", times(9, 1, again), 11 * MINUTE],
    ["errors on both sides of a commit", [...times(4, 1, again), s(5, { kind: "commit", id: "c" }), failed(6)], MINUTE],
    [
      "errors on both sides of an edit",
      [
        ...times(4, 1, again),
        s(5, { kind: "tool_start", id: "x", tool: "Edit", class: "edit", call: "c", after: "new" }),
        s(6, { kind: "tool_end", id: "x", ok: true, outcome: "o", raw: "r" }),
        failed(7),
      ],
      MINUTE,
    ],
  ] as [string, Signal[], number][])("is not reported for %s", (_, signals, now) => {
    expect(verdictAfter(signals, now)).toBeNull();
  });

  it("is not cleared by failing edits", () => {
    const signals = Array.from({ length: 5 }, (_, i) => [
      s(i, { kind: "tool_start", id: `${i}`, tool: "Edit", class: "edit", call: `c${i}`, after: `a${i}` }),
      failed(i),
    ]).flat();
    expect(verdictAfter(signals, MINUTE)?.count).toBe(5);
  });

  it("is reported at the number of stored errors if false alarms raised the threshold beyond it", () => {
    const signals = times(40, 1000, again);
    expect(verdictAfter(signals, MINUTE, { repeated_error_threshold: 80 })?.count).toBe(32);
    expect(verdictAfter(signals.slice(0, 31), MINUTE, { repeated_error_threshold: 80 })).toBeNull();
  });

  it("uses the thresholds of the caller", () => {
    const signals = times(3, MINUTE, again);
    expect(verdictAfter(signals, 2 * MINUTE, { repeated_error_threshold: 3 })?.count).toBe(3);
    const narrow = { repeated_error_threshold: 3, repeated_error_window_minutes: 1 };
    expect(verdictAfter(signals, 2 * MINUTE, narrow)).toBeNull();
  });
});
