import { describe, expect, it } from "vitest";
import { START, screen } from "../../../../test/support/steps.js";
import type { Signal } from "../../signal.js";
import { createEvidence, takeSignal } from "./evidence.js";

function stateAfter(...signals: object[]) {
  const evidence = createEvidence();
  signals.forEach((signal, i) => {
    takeSignal(evidence, { at: START + i * 1000, source: "stream", ...signal } as Signal);
  });
  return evidence;
}

/** Counts the entries of the evidence at any depth. */
function sizeOf(value: unknown): number {
  if (value instanceof Map || value instanceof Set) return [...value].reduce<number>((n, v) => n + sizeOf(v), 1);
  if (typeof value === "object" && value !== null)
    return Object.values(value).reduce<number>((n, v) => n + sizeOf(v), 1);
  return 1;
}

describe("evidence", () => {
  it("does not count late transcript lines as work after the end in the stream", () => {
    const failed = [
      { kind: "turn", phase: "start" },
      { kind: "error", cause: "auth", final: true, digest: "x", text: "401" },
      { kind: "turn", phase: "end" },
    ];
    const late = { kind: "turn", source: "transcript", phase: "start", byUser: true };
    expect(stateAfter(...failed, late).failures.error).not.toBeNull();
    expect(stateAfter(...failed, { ...late, at: START + 60_000 }).failures.error).toBeNull();
  });

  it("does not grow with history: ten thousand steps need no more memory than five thousand", () => {
    const evidence = createEvidence();
    const steps = (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        const base = { at: START + n * 700, source: "stream" as const };
        const id = `c${n}`;
        takeSignal(evidence, {
          ...base,
          kind: "tool_start",
          id,
          tool: `t${n}`,
          class: "edit",
          call: id,
          subject: id,
          after: id,
        });
        takeSignal(evidence, { ...base, kind: "tool_end", id, ok: n % 3 > 0, outcome: id, raw: id, error: id });
        takeSignal(evidence, { ...base, kind: "message", role: "assistant", digest: id });
        takeSignal(evidence, { ...base, ...screen({ reply: id, lastLine: id, busy: true, tokens: n }) });
        takeSignal(evidence, { ...base, kind: "file", path: id, digest: id });
        if (n % 50 === 0) takeSignal(evidence, { ...base, kind: "gap", from: base.at - 9, to: base.at });
      }
    };
    steps(0, 5000);
    const before = sizeOf(evidence);
    steps(5000, 10_000);
    expect(sizeOf(evidence)).toBeLessThanOrEqual(before * 1.02);
    expect(before).toBeLessThan(50_000);
  });

  it("lets a later session record override individual fields", () => {
    const { session } = stateAfter({ kind: "session", version: "1", cwd: "/a" }, { kind: "session", version: "2" });
    expect(session).toMatchObject({ version: "2", cwd: "/a" });
  });

  it("keeps the agent's last closing until the next user message", () => {
    const message = { kind: "message", role: "assistant", digest: "m", closing: "question", preview: "Which?" };
    expect(stateAfter(message).message).toMatchObject({ closing: "question", preview: "Which?" });
    expect(stateAfter(message, { kind: "message", role: "user", digest: "u" }).message).toBeNull();
  });

  it("detects the start and end of a compaction from records or the screen", () => {
    expect(stateAfter({ kind: "compaction", phase: "start" }).compacting?.at).toBe(START);
    expect(
      stateAfter({ kind: "compaction", phase: "start" }, { kind: "compaction", phase: "end" }).compacting,
    ).toBeNull();
    expect(stateAfter(screen({ compacting: true, busy: true }), screen({ busy: true })).compacting).toBeNull();
  });

  it("does not end a compaction by a late screen from before its start", () => {
    const late = { ...screen({ busy: true }), at: START - 1 };
    expect(stateAfter({ kind: "compaction", phase: "start" }, late).compacting?.at).toBe(START);
  });

  it("does not count rouse's own keys as user input", () => {
    const keys = { kind: "input", bytes: 1, quits: true };
    expect(stateAfter({ ...keys, by: "rouse" })).toMatchObject({ humanAt: null, quitAt: null });
    expect(stateAfter({ ...keys, by: "human" })).toMatchObject({ humanAt: START, quitAt: START });
    expect(stateAfter({ ...keys, by: "rouse", ordered: true })).toMatchObject({ humanAt: null, quitAt: START });
  });
});
