import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScreenReading, Signal } from "../signal.js";
import { MINUTE } from "../text/time.js";
import type { ActivitySignal } from "./activity.js";
import { assessActivity, createActivity, takeActivity } from "./activity.js";
import type { ActivitySource } from "./activity-sources.js";
import { ACTIVITY_SOURCES, activitySourceOf } from "./activity-sources.js";
import { ROUSE_MARK, shouldSendResume } from "./guard.js";

const NOW = 1_790_000_000_000;
const ago = (minutes: number) => NOW - minutes * MINUTE;
const seen = (source: ActivitySource, minutes: number): ActivitySignal => ({
  source,
  at: ago(minutes),
  confidence: ACTIVITY_SOURCES[source].confidence,
});
const screen = (reply: string, at: number, tokens?: number): Signal => {
  const reading: ScreenReading = { reply, lastLine: reply, busy: true, moving: true, composer: "empty" };
  return { kind: "screen", at, source: "screen", reading: tokens === undefined ? reading : { ...reading, tokens } };
};
function stateOf(signals: Signal[]) {
  const state = createActivity();
  for (const signal of signals) takeActivity(state, signal);
  return state;
}

describe("the ten activity sources", () => {
  it("leave out the user's noise patterns", () => {
    const report: Signal = {
      kind: "report",
      at: ago(1),
      source: "report",
      state: "working",
      text: "Nightly PING, all fine",
    };
    const state = stateOf([report]);
    expect(assessActivity(state, NOW).signals).toHaveLength(1);
    expect(assessActivity(state, NOW, { noise_patterns: ["nightly ping"] }).signals).toEqual([]);
    expect(assessActivity(state, NOW, { noise_patterns: ["", "other"] }).signals).toHaveLength(1);
  });

  it("are grouped in three tiers", () => {
    const tiers = Object.values(ACTIVITY_SOURCES).map(({ tier }) => tier);
    expect(tiers).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3]);
  });

  it.each([
    [{ kind: "commit", id: "a1" }, "git_commit"],
    [{ kind: "claim", task: "t", phase: "renewed" }, "contract_claimed"],
    [{ kind: "test", ok: false }, "test_execution"],
    [{ kind: "tool_start", id: "1", tool: "Bash", class: "test", call: "c" }, "test_execution"],
    [{ kind: "tool_start", id: "1", tool: "Read", class: "instant", call: "c" }, "workspace_access"],
    [{ kind: "tool_end", id: "1", ok: true, outcome: "o", raw: "r" }, "telemetry_event"],
    [{ kind: "tool_end", id: "1", ok: false, outcome: "o", raw: "r", refused: true }, null],
    [{ kind: "turn", phase: "end" }, "telemetry_event"],
    [{ kind: "turn", phase: "start", byUser: true }, null],
    [{ kind: "message", role: "assistant", digest: "d" }, "telemetry_event"],
    [{ kind: "message", role: "user", digest: "d" }, "message_queue"],
    [{ kind: "message", role: "user", digest: "d", own: true }, null],
    [{ kind: "report", heartbeat: true }, null],
    [{ kind: "report", state: "working", text: "built the parser" }, "status_update"],
    [{ kind: "file", path: "a.ts" }, "file_modification"],
    [{ kind: "file", path: "a.md", role: "devlog" }, "devlog_created"],
    [{ kind: "file", path: "a", role: "access" }, "workspace_access"],
    [{ kind: "file", path: "events.jsonl", role: "telemetry" }, "telemetry_event"],
    [{ kind: "queue", op: "dequeue" }, "inbox_processing"],
    [{ kind: "queue", op: "enqueue" }, "message_queue"],
    [{ kind: "output", bytes: 900 }, null],
    [{ kind: "process", alive: true, children: 3, cpuMs: 900 }, null],
    [{ kind: "status", status: "working" }, null],
    [{ kind: "request" }, null],
    [{ kind: "retry", attempt: 2 }, null],
    [{ kind: "constructor" }, null],
  ])("map %o to %s", (signal, source) => {
    expect(activitySourceOf({ at: NOW, source: "transcript", ...signal } as unknown as Signal)).toBe(source);
  });
});

describe("assessActivity", () => {
  it.each([
    // signals, confidence, active, validated
    ["two of tier 1", [seen("git_commit", 5), seen("telemetry_event", 9)], 0.9, true, true],
    ["one of tier 1", [seen("git_commit", 5)], 0.7, true, true],
    ["two of tier 2", [seen("status_update", 5), seen("file_modification", 9)], 0.7, true, true],
    ["one of tier 2", [seen("status_update", 5)], 0.5, true, true],
    ["several of tier 3", [seen("message_queue", 5), seen("workspace_access", 6)], 0.3, false, false],
    ["one of tier 1, 30 min old", [seen("test_execution", 30)], 0.7, true, true],
    ["one of tier 1, 31 min old", [seen("test_execution", 31)], 0.7 * 0.85, true, true],
    ["two of tier 1, 60 min old", [seen("git_commit", 60), seen("test_execution", 60)], 0.9 * 0.85, true, true],
    ["one of tier 1, 61 min old", [seen("git_commit", 61)], 0.7 * 0.7, false, false],
    ["one of tier 2 beyond its window", [seen("devlog_created", 31)], 0.5 * 0.85, false, false],
    [
      "two of tier 2 beyond their window",
      [seen("devlog_created", 31), seen("status_update", 31)],
      0.7 * 0.85,
      false,
      false,
    ],
    ["a fresh tier 3 that hides an old tier 1", [seen("message_queue", 1), seen("git_commit", 70)], 0.3, false, false],
    ["one fresh and one old of tier 1", [seen("git_commit", 1), seen("test_execution", 61)], 0.7, true, true],
  ])("%s gives %d", (_, signals, confidence, active, validated) => {
    const assessment = assessActivity(signals, NOW);
    expect(assessment.confidence).toBeCloseTo(confidence, 10);
    expect(assessment).toMatchObject({ is_active: active, validation_passed: validated, known: true });
  });

  it("returns the last activity, the signals newest first, and the reasons", () => {
    const assessment = assessActivity([seen("git_commit", 45), seen("test_execution", 40)], NOW);
    expect(assessment).toMatchObject({ last_activity: ago(40), inactivity_minutes: 40 });
    expect(assessment.signals.map(({ source }) => source)).toEqual(["test_execution", "git_commit"]);
    expect(assessment.reasons).toEqual([
      "2 strong signs of activity (test runs, commits)",
      "activity is older than 30 min",
    ]);
  });

  it("uses the thresholds of the caller", () => {
    const old = [seen("git_commit", 90)];
    expect(assessActivity(old, NOW).is_active).toBe(false);
    const wide = { lookback_minutes: 120, tier1_window_seconds: 7200, min_confidence_threshold: 0.4 };
    expect(assessActivity(old, NOW, wide)).toMatchObject({ is_active: true, validation_passed: true });
    const narrow = assessActivity([seen("git_commit", 20)], NOW, { lookback_minutes: 10 });
    expect(narrow).toMatchObject({ is_active: false, validation_passed: false, confidence: 0.7 });
  });

  it.each([
    ["nothing at all", []],
    ["signals a day apart", [seen("git_commit", 1), seen("git_commit", 1 + 24 * 60 + 1)]],
    ["a signal from the future", [seen("git_commit", -5), seen("git_commit", 5)]],
  ])("is unknown from %s", (_, signals) => {
    expect(assessActivity(signals, NOW)).toMatchObject({ known: false, is_active: false, confidence: 0 });
  });

  it("ignores recovery prompts, acknowledgements and rouse's own text", () => {
    const texts = [`${ROUSE_MARK} are you there?`, "STALL-RECOVERY: resume", "Got it, resuming now.", "#no-reply"];
    const signals = texts.map((text, i) => ({ ...seen("telemetry_event", i), text }));
    expect(assessActivity(signals, NOW).signals).toEqual([]);
    const state = stateOf(
      texts.map(
        (preview, i): Signal => ({
          kind: "message",
          at: ago(i),
          source: "transcript",
          role: "assistant",
          digest: "d",
          preview,
        }),
      ),
    );
    expect(assessActivity(state, NOW).signals).toEqual([]);
  });

  it("does not treat a commit about a resumer as noise", () => {
    const state = stateOf([{ kind: "commit", at: ago(1), source: "workspace", id: "a", subject: "mend the resumer" }]);
    expect(assessActivity(state, NOW).is_active).toBe(true);
  });

  it("counts a changed reply on the screen as activity, but not a repaint", () => {
    const painted = stateOf([screen("a", ago(70)), screen("a", ago(2)), screen("a", ago(1))]);
    expect(assessActivity(painted, NOW)).toMatchObject({ known: true, is_active: false, signals: [] });
    expect(assessActivity(stateOf([screen("a", ago(2)), screen("b", ago(1))]), NOW).is_active).toBe(true);
    expect(assessActivity(stateOf([screen("a", ago(2), 10), screen("a", ago(1), 11)]), NOW).is_active).toBe(true);
  });

  it("does not count hours of machine sleep", () => {
    const commit: Signal = { kind: "commit", at: ago(500), source: "workspace", id: "a" };
    const gap: Signal = { kind: "gap", at: ago(5), source: "observer", from: ago(490), to: ago(5) };
    expect(assessActivity(stateOf([commit]), NOW).known).toBe(false);
    expect(assessActivity(stateOf([commit, gap]), NOW)).toMatchObject({ is_active: true, inactivity_minutes: 15 });
  });

  it("drops yesterday's signals instead of reporting inconsistent times", () => {
    const commits = [48 * 60, 1].map(
      (minutes): Signal => ({ kind: "commit", at: ago(minutes), source: "workspace", id: `${minutes}` }),
    );
    expect(assessActivity(stateOf(commits), NOW)).toMatchObject({ is_active: true, confidence: 0.7 });
  });
});

describe("whether activity is known", () => {
  const keys = (minutes: number): Signal => ({
    kind: "input",
    at: ago(minutes),
    source: "human",
    by: "human",
    bytes: 3,
  });
  const alive = (minutes: number, answer: boolean | null = true): Signal => ({
    kind: "process",
    at: ago(minutes),
    source: "process",
    alive: answer,
    children: 0,
    cpuMs: 0,
  });

  it.each([
    ["no signal", [], false],
    ["keys only", [keys(61), keys(1)], false],
    ["a probe that failed", [alive(70, null), alive(1, null)], false],
    ["observation that started a minute ago", [alive(1)], false],
    ["observation over the whole lookback", [alive(61), alive(1)], true],
    ["observation that ended before the lookback", [alive(300), alive(200)], false],
  ] as [string, Signal[], boolean][])("%s: %s", (_, signals, known) => {
    expect(assessActivity(stateOf(signals), NOW).known).toBe(known);
  });

  it("trusts a caller that knows of later sensor data", () => {
    const state = stateOf([{ kind: "commit", at: ago(120), source: "workspace", id: "a" }]);
    expect(shouldSendResume(state, NOW).send).toBe(false);
    expect(shouldSendResume(state, NOW, { checkedAt: NOW }).send).toBe(true);
  });
});

describe("properties of the assessment", () => {
  const source = fc.constantFrom(...(Object.keys(ACTIVITY_SOURCES) as ActivitySource[]));
  const activity = fc.record({
    source,
    at: fc.oneof(fc.integer({ min: ago(90), max: NOW + MINUTE }), fc.double()),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const signal = fc.oneof(
    fc.record({ kind: fc.constant("commit"), id: fc.string() }),
    fc.record({ kind: fc.constant("file"), path: fc.string(), role: fc.constantFrom("devlog", "access", "status") }),
    fc.record({ kind: fc.constant("message"), role: fc.constant("assistant"), preview: fc.string() }),
    fc.record({ kind: fc.constant("report"), text: fc.string(), heartbeat: fc.boolean() }),
    fc.record({ kind: fc.constant("queue"), op: fc.constantFrom("enqueue", "dequeue") }),
  );
  const moment = fc.constantFrom(ago(1), ago(20), ago(45));

  it("keeps confidence between 0 and 1 and never reports an unknown agent as active", () => {
    fc.assert(
      fc.property(fc.array(activity, { maxLength: 30 }), (signals) => {
        const { confidence, is_active, known } = assessActivity(signals, NOW);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
        expect(is_active && !known).toBe(false);
      }),
    );
  });

  it("does not depend on the order in which signals arrive", () => {
    const signals = fc.array(fc.tuple(signal, moment), { maxLength: 40 });
    fc.assert(
      fc.property(signals, fc.infiniteStream(fc.nat()), (pairs, keys) => {
        const list = pairs.map(([fact, at]) => ({ source: "transcript", ...fact, at }) as unknown as Signal);
        const shuffled = list
          .map((fact) => ({ fact, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ fact }) => fact);
        expect(assessActivity(stateOf(shuffled), NOW)).toEqual(assessActivity(stateOf(list), NOW));
      }),
    );
  });

  it("keeps a bounded state and never throws on any input", () => {
    const anything = fc.oneof(signal, fc.object()) as fc.Arbitrary<object>;
    fc.assert(
      fc.property(fc.array(fc.tuple(anything, fc.double()), { maxLength: 200 }), (pairs) => {
        const state = stateOf(pairs.map(([fact, at]) => ({ source: "hook", ...fact, at }) as unknown as Signal));
        for (const kept of state.recent.values()) expect(kept.length).toBeLessThanOrEqual(4);
        expect(() => shouldSendResume(state, NOW)).not.toThrow();
      }),
    );
  });
});
