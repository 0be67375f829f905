import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { HOUR, MINUTE } from "../../text/time.js";
import { checkpointVerdict, claimVerdict, createCheckpoint, takeCheckpoint } from "./checkpoint.js";

const s = (at: number, fields: object) => ({ at, source: "report", ...fields }) as Signal;
const claim = (at: number, phase = "taken", task = "T1") => s(at, { kind: "claim", task, phase });
const checkpoint = (at: number, fields: object = {}) => s(at, { kind: "checkpoint", ...fields });
const turn = (at: number, phase: string) => s(at, { kind: "turn", phase });
const gap = (from: number, to: number) => s(to, { kind: "gap", source: "observer", from, to });
const stateAfter = (signals: Signal[]) => {
  const state = createCheckpoint();
  for (const signal of signals) takeCheckpoint(state, signal);
  return state;
};

describe("checkpoint age", () => {
  it("is reported when the last checkpoint of a claimed task is more than twenty minutes old", () => {
    const state = stateAfter([claim(0), checkpoint(10 * MINUTE, { step: 2, text: "step 2: schema" })]);
    expect(checkpointVerdict(state, 30 * MINUTE)).toBeNull();
    expect(checkpointVerdict(state, 35 * MINUTE)).toEqual({
      cause: "no_checkpoint",
      since: 10 * MINUTE,
      last_step: "step 2: schema",
      confidence: 0.5,
      reason: "No checkpoint for 25 min (report), last one: step 2: schema",
    });
  });

  it.each([
    ["a claim without any checkpoint", [claim(0)], 0],
    ["a working session with an earlier checkpoint", [turn(0, "start"), checkpoint(MINUTE)], MINUTE],
    ["a claimed task whose turn has ended", [claim(0), turn(0, "start"), turn(MINUTE, "end")], 0],
  ] as [string, Signal[], number][])("is reported for %s", (_, signals, since) => {
    expect(checkpointVerdict(stateAfter(signals), 2 * HOUR)?.since).toBe(since);
  });

  it.each([
    ["a session without claims or checkpoints", [turn(0, "start")]],
    ["a finished turn without a task", [turn(0, "start"), checkpoint(MINUTE), turn(2 * MINUTE, "end")]],
    ["a released task", [claim(0), claim(1, "released")]],
    ["work reported complete", [claim(0), s(1, { kind: "report", state: "complete" })]],
    ["an exited process", [claim(0), s(1, { kind: "exit", code: 0, signal: null })]],
    ["a night of machine sleep", [claim(0), gap(MINUTE, 2 * HOUR)]],
  ] as [string, Signal[]][])("is not reported for %s", (_, signals) => {
    expect(checkpointVerdict(stateAfter(signals), 2 * HOUR)).toBeNull();
  });
});

describe("stale claims", () => {
  it.each([
    ["never renewed", [claim(0)], 61 * MINUTE, 0],
    ["an hour old", [claim(0)], 60 * MINUTE, null],
    ["renewed", [claim(0), claim(30 * MINUTE, "renewed")], 61 * MINUTE, null],
    ["followed by a checkpoint", [claim(0), checkpoint(30 * MINUTE, { task: "T1" })], 61 * MINUTE, null],
    ["followed by a checkpoint of another task", [claim(0), checkpoint(30 * MINUTE, { task: "T2" })], 61 * MINUTE, 0],
    ["released", [claim(0), claim(1, "released")], 61 * MINUTE, null],
    ["asleep", [claim(0), gap(MINUTE, 50 * MINUTE)], 61 * MINUTE, null],
  ] as [string, Signal[], number, number | null][])("%s", (_, signals, now, since) => {
    expect(claimVerdict(stateAfter(signals), now)?.since ?? null).toBe(since);
  });

  it("use the age limit of the caller", () => {
    expect(claimVerdict(stateAfter([claim(0)]), 6 * MINUTE, { claim_stale_minutes: 5 })?.task).toBe("T1");
  });
});
