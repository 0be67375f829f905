import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { HOUR, MINUTE } from "../../text/time.js";
import { burnRates, burnVerdict, createBurn, takeBurn } from "./burn.js";

const s = (at: number, fields: object) => ({ at, source: "transcript", ...fields }) as Signal;
const tokens = (at: number, input: number, output: number, more: object = {}) =>
  s(at, { kind: "tokens", input, output, ...more });
const start = s(0, { kind: "turn", phase: "start", byUser: true });
const result = (at: number, outcome: string) => s(at, { kind: "tool_end", id: "1", ok: true, outcome, raw: "r" });
const stateAfter = (signals: Signal[]) => {
  const state = createBurn();
  for (const signal of signals) takeBurn(state, signal);
  return state;
};

describe("burn rates", () => {
  it("add up the last hour", () => {
    const state = stateAfter([
      tokens(0, 1000, 100, { costUsd: 0.5 }),
      tokens(30 * MINUTE, 2000, 200, { costUsd: 0.25 }),
      tokens(59 * MINUTE, 3000, 300),
    ]);
    expect(burnRates(state, 59 * MINUTE)).toEqual({
      tokens_per_hour: 6600,
      input_per_hour: 6000,
      output_per_hour: 600,
      cost_usd_per_hour: 0.75,
    });
    expect(burnRates(state, 65 * MINUTE).tokens_per_hour).toBe(5500);
    expect(burnRates(state, 3 * HOUR).tokens_per_hour).toBe(0);
  });

  it("do not count the same tokens from two sources twice, and prefer the better source", () => {
    const state = stateAfter([
      tokens(0, 0, 70),
      tokens(1, 0, 100, { source: "stream" }),
      tokens(2, 0, 100),
      tokens(3, 0, 5, { source: "screen" }),
    ]);
    expect(burnRates(state, 4).output_per_hour).toBe(100);
  });

  it("ignore invalid amounts", () => {
    const state = stateAfter([tokens(0, Number.NaN, -5), tokens(1, Number.POSITIVE_INFINITY, 7)]);
    expect(burnRates(state, 2).tokens_per_hour).toBe(7);
  });
});

describe("burn without progress", () => {
  const writing = (minutes: number) => Array.from({ length: minutes }, (_, i) => tokens((i + 1) * MINUTE, 90_000, 500));

  it("is reported after thirty minutes of writing", () => {
    expect(burnVerdict(stateAfter([start, ...writing(29)]), 29 * MINUTE)).toBeNull();
    const verdict = burnVerdict(stateAfter([start, ...writing(30)]), 30 * MINUTE);
    expect(verdict).toMatchObject({ cause: "no_progress", since: 0, active_minutes: 30, output_tokens: 15_000 });
    expect(verdict?.reason).toBe(
      "No new outcome for 30 min, despite 30 min of work and 15000 tokens written (transcript), 2715000 tokens in the last hour",
    );
  });

  it("is reported after 100 k output tokens, not after any number of input tokens", () => {
    expect(burnVerdict(stateAfter([start, tokens(1, 50_000_000, 99_999)]), 2)).toBeNull();
    expect(burnVerdict(stateAfter([start, tokens(1, 0, 99_999), tokens(2, 0, 1)]), 3)?.output_tokens).toBe(100_000);
  });

  it.each([
    ["a new result", (at: number) => result(at, `o${at}`), true],
    ["a result seen before", (at: number) => result(at, "same"), false],
    ["a commit", (at: number) => s(at, { kind: "commit", id: `${at}` }), true],
    ["a checkpoint", (at: number) => s(at, { kind: "checkpoint", step: at }), true],
    ["a heartbeat", (at: number) => s(at, { kind: "report", heartbeat: true }), false],
    ["a file that is written again and again", (at: number) => s(at, { kind: "file", path: "log" }), false],
    ["a new turn of the user", (at: number) => s(at, { kind: "turn", phase: "start", byUser: true }), true],
  ])("with %s every minute, progress is %s", (_, make, progress) => {
    const signals = writing(40).flatMap((signal) => [signal, make(signal.at + 1)]);
    expect(burnVerdict(stateAfter([start, ...signals]), 41 * MINUTE) === null).toBe(progress);
  });

  it("counts a minute once, however much was written in it", () => {
    const burst = Array.from({ length: 200 }, (_, i) => tokens(MINUTE + i, 0, 10));
    expect(burnVerdict(stateAfter([start, ...burst]), 2 * MINUTE)).toBeNull();
  });

  it("does not include a poll", () => {
    const poll = writing(60).flatMap((signal) => [
      signal,
      s(signal.at + 1, { kind: "tool_start", id: "1", tool: "Bash", class: "sleep", call: "c" }),
      result(signal.at + 2, "still running"),
    ]);
    expect(burnVerdict(stateAfter([start, ...poll]), 61 * MINUTE)).toBeNull();
  });

  it("does not count the minutes of a long tool or of a session at its prompt", () => {
    const tool = s(MINUTE, { kind: "tool_start", id: "b", tool: "Bash", class: "build", call: "c" });
    expect(burnVerdict(stateAfter([start, tool]), 5 * HOUR)).toBeNull();
    const ended = stateAfter([start, ...writing(40), s(41 * MINUTE, { kind: "turn", phase: "end" })]);
    expect(burnVerdict(ended, 42 * MINUTE)).toBeNull();
    expect(burnVerdict(ended, 42 * MINUTE, { turnActive: true })).not.toBeNull();
  });
});
