import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../test/support/sessions.js";
import { createNodeState } from "../node-state.js";
import type { Signal } from "../signal.js";
import { step } from "../step.js";
import { OBSERVE_ONLY } from "../step-rules.js";
import { HOUR, MINUTE } from "../text/time.js";
import { type ActivityState, assessActivity, createActivity, takeActivity } from "./activity.js";
import { shouldSendResume } from "./guard.js";

const START = 1_790_000_000_000;
const commit = (at: number): Signal => ({ kind: "commit", at, source: "workspace", id: String(at) });

/** Bursts of two commits, one minute apart, with pauses in between; returns the time of the last one. */
function bursts(pauses: readonly number[], between: (at: number) => Signal[] = () => []) {
  const signals: Signal[] = [];
  let at = START;
  for (const minutes of [0, ...pauses]) {
    if (minutes > 0) signals.push(...between(at + MINUTE));
    at += minutes * MINUTE;
    signals.push(commit(at), commit(at + MINUTE));
    at += MINUTE;
  }
  return { signals, at };
}

function stateOf(signals: readonly Signal[]): ActivityState {
  const state = createActivity();
  for (const signal of signals) takeActivity(state, signal);
  return state;
}

const TWENTY = Array.from({ length: 20 }, () => 45);

describe("an agent that works in bursts", () => {
  it("counts as active for twice its usual pause, once twenty pauses were seen", () => {
    const learned = bursts(TWENTY);
    const state = stateOf(learned.signals);
    const later = learned.at + 85 * MINUTE;
    expect(assessActivity(state, later)).toMatchObject({ is_active: true, known: true });
    const { usual_pause_minutes, lookback_minutes, reasons } = assessActivity(state, later);
    expect(usual_pause_minutes).toBeGreaterThanOrEqual(45);
    expect(usual_pause_minutes).toBeLessThan(45 * 1.19);
    expect(lookback_minutes).toBe(2 * (usual_pause_minutes ?? 0));
    expect(reasons.at(-1)).toMatch(
      /^works in bursts: pauses of up to \d+ min are usual, so the last [\d.]+ (?:h|min) count$/,
    );
    expect(shouldSendResume(state, later)).toMatchObject({ send: false });
    expect(assessActivity(state, learned.at + 3 * HOUR)).toMatchObject({ is_active: false });

    const early = bursts(TWENTY.slice(1));
    expect(assessActivity(stateOf(early.signals), early.at + 85 * MINUTE)).toMatchObject({
      is_active: false,
      lookback_minutes: 60,
      usual_pause_minutes: null,
    });
  });

  it.each<[string, (at: number) => Signal[]]>([
    ["a turn that ended", (at) => [{ kind: "turn", at, source: "transcript", phase: "end" }]],
    ["a prompt of the user", (at) => [{ kind: "message", at, source: "transcript", role: "user", digest: "d" }]],
    ["a user at the keyboard", (at) => [{ kind: "input", at, source: "human", by: "human", bytes: 1 }]],
    ["an open question", (at) => [{ kind: "prompt", at, source: "screen", open: true, prompt: "permission" }]],
    ["a limit", (at) => [{ kind: "limit", at, source: "screen", level: "hit" }]],
    [
      "sleep of the machine",
      (at) => [{ kind: "gap", at: at + 20 * MINUTE, source: "observer", from: at + 5 * MINUTE, to: at + 20 * MINUTE }],
    ],
  ])("does not learn a pause with %s in it: it was not the agent's own", (_, between) => {
    const { signals, at } = bursts(TWENTY, between);
    expect(assessActivity(stateOf(signals), at + 1)).toMatchObject({ usual_pause_minutes: null, lookback_minutes: 60 });
  });

  it("does not learn a pause for which it was called inactive, and never counts as active for more than four hours", () => {
    const stalls = bursts(Array.from({ length: 30 }, () => 90));
    expect(assessActivity(stateOf(stalls.signals), stalls.at + 1)).toMatchObject({ lookback_minutes: 60 });
    const growing = bursts([50, 90, 170, 230, 235].flatMap((minutes) => Array.from({ length: 400 }, () => minutes)));
    expect(assessActivity(stateOf(growing.signals), growing.at + 1)).toMatchObject({ lookback_minutes: 240 });
  });

  it("is judged by lookback_minutes alone if the user or a project set it", () => {
    const { signals, at } = bursts(TWENTY);
    const state = stateOf(signals);
    const later = at + 85 * MINUTE;
    expect(assessActivity(state, later, { lookback_minutes: 30 })).toMatchObject({
      is_active: false,
      lookback_minutes: 30,
    });
    const own = { lookback_minutes: 60, own: { lookback_minutes: 60 } };
    expect(assessActivity(state, later, own)).toMatchObject({ is_active: false, lookback_minutes: 60 });
  });

  it("keeps its pauses in its next session, and another agent does not get them", () => {
    const { signals, at } = bursts(TWENTY);
    const state = createNodeState(OBSERVE_ONLY);
    const first = sessionOf({ id: "one", name: "web", startedAt: START });
    step(state, { kind: "register", session: first }, START);
    for (const signal of signals)
      step(state, { kind: "signals", session: "one", by: "sensor", signals: [signal] }, signal.at);
    step(state, { kind: "register", session: { ...first, endedAt: at } }, at);
    step(state, { kind: "register", session: { ...first, id: "two", startedAt: at, endedAt: null } }, at);
    step(state, { kind: "register", session: sessionOf({ id: "three", name: "api", startedAt: at }) }, at);
    const usual = (id: string) => {
      const judge = state.sessions.get(id);
      return judge ? assessActivity(judge.evidence.activity, at + 1).usual_pause_minutes : undefined;
    };
    expect(usual("two")).toBe(usual("one"));
    expect(usual("two")).toBeGreaterThan(44);
    expect(usual("three")).toBeNull();
  });
});
