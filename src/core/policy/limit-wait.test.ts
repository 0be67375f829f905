import { describe, expect, it } from "vitest";
import type { ActionRecord } from "../action.js";
import type { Incident } from "../incidents/incident.js";
import { limitDueAt } from "./limit-wait.js";

const RULES = { marginMs: 60, jitterMs: 0, ownResumeMs: 500, backoffMs: 1000, backoffMaxMs: 3000 };
const SINCE = 10_000;

function dueAt(until: number | null, nudgedAt: readonly number[] = [], resumesItself = false): number {
  const incident = { agent: "a", since: SINCE, until: null } as Incident;
  const record = { do: "nudge", outcome: { result: "done" } } as ActionRecord;
  const actions = nudgedAt.map((at) => ({ ...record, at }));
  return limitDueAt(RULES as Parameters<typeof limitDueAt>[0], incident, { until }, resumesItself, actions);
}

describe("the next nudge after a limit", () => {
  it("is due at the printed reset plus a margin, and later if the program resumes by itself", () => {
    expect(dueAt(20_000)).toBe(20_060);
    expect(dueAt(20_000, [], true)).toBe(20_560);
  });

  it("follows a reset that was printed after the last nudge, and not one that turned out wrong", () => {
    expect(dueAt(20_000, [15_000])).toBe(20_060);
    expect(dueAt(20_000, [20_000])).toBe(22_000);
  });

  it("waits twice as long after each nudge if the reset is unknown, up to a maximum", () => {
    expect(dueAt(null)).toBe(11_000);
    expect(dueAt(null, [11_000])).toBe(13_000);
    expect(dueAt(null, [11_000, 13_000])).toBe(16_000);
  });
});
