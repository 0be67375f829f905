import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { createLostResult, lostResultVerdict, takeLostResult } from "./lost-result.js";

const s = (at: number, fields: object) => ({ at, source: "transcript", ...fields }) as Signal;
const turn = (at: number, phase: string) => s(at, { kind: "turn", phase });
const launch = (at: number) =>
  s(at, { kind: "tool_start", id: "b1", tool: "Task", class: "subagent", call: "c", background: true });
const ended = (at: number, id = "b1") => s(at, { kind: "tool_end", id, ok: true, outcome: "o", raw: "r" });
const queue = (at: number) => s(at, { kind: "queue", op: "enqueue", depth: 1 });
const verdictAfter = (signals: Signal[], now: number, options = {}) => {
  const state = createLostResult();
  for (const signal of signals) takeLostResult(state, signal);
  return lostResultVerdict(state, now, options);
};
const PARKED = [turn(0, "start"), launch(1), turn(10, "end"), ended(20)];

describe("a lost result", () => {
  it("is a result that an idle session does not pick up for a minute", () => {
    expect(verdictAfter(PARKED, 20 + 60 * SECOND)).toBeNull();
    expect(verdictAfter(PARKED, 21 + 60 * SECOND)).toMatchObject({ cause: "lost_result", since: 20 });
  });

  it("names the source of the result", () => {
    const reason = "At its prompt for 120 s without picking up a background result (transcript)";
    expect(verdictAfter(PARKED, 20 + 2 * MINUTE)).toMatchObject({ reason });
  });

  it.each([
    ["the turn is running", [turn(0, "start"), launch(1), ended(20)]],
    ["only a message is queued, since its count may be left over", [turn(0, "start"), queue(5), turn(10, "end")]],
    ["the child was only launched", [turn(0, "start"), launch(1), ended(2), turn(10, "end")]],
    ["the report of the launch was late", [turn(0, "start"), launch(1), turn(10, "end"), ended(2)]],
    ["the child is still running", [turn(0, "start"), launch(1), turn(10, "end")]],
    ["a foreground tool ended", [turn(0, "start"), turn(10, "end"), ended(20, "other")]],
    ["a new turn started", [...PARKED, turn(30, "start")]],
    ["the agent answered and stopped", [...PARKED, s(30, { kind: "message", role: "assistant", digest: "d" })]],
    ["the user types", [...PARKED, s(30, { kind: "input", by: "human", bytes: 1 })]],
    ["the user interrupted", [...PARKED, turn(30, "interrupted")]],
    ["the process exited", [...PARKED, s(30, { kind: "exit", code: 0, signal: null })]],
    ["the machine slept", [...PARKED, s(99, { kind: "gap", from: 21, to: 9 * MINUTE })]],
  ] as [string, Signal[]][])("is not reported if %s", (_, signals) => {
    expect(verdictAfter(signals, 10 * MINUTE - 10)).toBeNull();
  });

  it("is not reported if the caller knows of a running turn", () => {
    expect(verdictAfter(PARKED, 10 * MINUTE, { turnActive: true })).toBeNull();
  });
});
