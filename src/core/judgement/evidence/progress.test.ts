import { describe, expect, it } from "vitest";
import { screen } from "../../../../test/support/steps.js";
import type { Signal } from "../../signal.js";
import { createProgress, takeProgress } from "./progress.js";

function stateAfter(...signals: object[]) {
  const progress = createProgress();
  signals.forEach((signal, i) => {
    takeProgress(progress, { at: i * 1000, ...signal } as Signal);
  });
  return progress;
}

describe("activity of a live stream", () => {
  it("is a new reply, never a repaint of one", () => {
    expect(stateAfter(screen({ reply: "a" }), screen({ reply: "a" })).seen.reply).toBe(0);
    expect(stateAfter(screen({ reply: "a" }), screen({ reply: "b" })).seen.reply).toBe(1000);
  });

  it("is not a torn frame: a return to a known reply does not count", () => {
    expect(stateAfter(screen({ reply: "a" }), screen({ reply: "torn" }), screen({ reply: "a" })).seen.reply).toBe(1000);
  });

  it("is a changed counter, not one that disappeared and returned", () => {
    expect(stateAfter(screen({ tokens: 5 }), screen({}), screen({ tokens: 5 })).seen.tokens).toBe(0);
    expect(stateAfter(screen({ tokens: 5 }), screen({ tokens: 6 })).seen.tokens).toBe(1000);
  });

  it("is tracked separately for the records of each source", () => {
    const delta = { kind: "delta", channel: "content", chars: 1 };
    const { seen } = stateAfter({ ...delta, source: "stream" }, { ...delta, source: "transcript" });
    expect(seen).toMatchObject({ stream: 0, transcript: 1000 });
  });

  it("is bytes received since the first count, not bytes written by the program", () => {
    const process = { kind: "process", source: "process", alive: true, children: 0, cpuMs: 0 };
    const counts = (...received: number[]) => received.map((receivedBytes) => ({ ...process, receivedBytes }));
    const output = { kind: "output", source: "screen", bytes: 900 };
    expect(stateAfter(...counts(10, 10), output).seen.socket).toBeUndefined();
    expect(stateAfter(...counts(10, 2500), output)).toMatchObject({ seen: { socket: 1000 }, outputAt: 2000 });
  });

  it("is not a ping at any sampling rate: 100 bytes every five seconds keep a dead stream open", () => {
    const process = { kind: "process", source: "process", alive: true, children: 0, cpuMs: 0 };
    for (const everyS of [1, 10]) {
      const seconds = Array.from({ length: 200 / everyS }, (_, i) => i * everyS);
      const pings = seconds.map((s) => ({ ...process, at: s * 1000, receivedBytes: 5000 + 100 * Math.floor(s / 5) }));
      expect(stateAfter(...pings).seen.socket).toBeUndefined();
      const slow = seconds.map((s) => ({ ...process, at: s * 1000, receivedBytes: 5000 + 50 * s }));
      expect(stateAfter(...slow).seen.socket).toBeGreaterThan(185_000);
    }
  });

  it("is not inferred from an unreadable process table, which does not prove that there are no children", () => {
    const process = { kind: "process", source: "process", alive: true, children: 1, cpuMs: 0, newestChildAt: 5 };
    expect(stateAfter(process, { ...process, alive: null, children: 0 })).toMatchObject({
      children: null,
      newestChildAt: null,
    });
  });

  it("needs bounded memory for any number of replies", () => {
    expect(stateAfter(...Array.from({ length: 500 }, (_, i) => screen({ reply: `r${i}` }))).replies.size).toBe(64);
  });
});
