import { describe, expect, it } from "vitest";
import type { Signal, Source } from "../../signal.js";
import { HOUR, MINUTE } from "../../text/time.js";
import { createSpend, spentBetween, takeSpend } from "./spend.js";

const DAY: number = 24 * HOUR;
const tokens = (at: number, output: number, costUsd?: number, source: Source = "transcript"): Signal => ({
  kind: "tokens",
  at,
  source,
  input: 0,
  output,
  ...(costUsd === undefined ? {} : { costUsd }),
});
const stateAfter = (signals: readonly Signal[]) => {
  const state = createSpend();
  for (const signal of signals) takeSpend(state, signal);
  return state;
};

describe("the spending of a session", () => {
  it("covers only the given hours, even with late signals", () => {
    const state = stateAfter([
      tokens(DAY - MINUTE, 100),
      tokens(DAY + 2 * HOUR, 20),
      tokens(DAY + HOUR, 3),
      tokens(2 * DAY, 1000),
    ]);
    expect(spentBetween(state, DAY, 2 * DAY).tokens).toBe(23);
    expect(spentBetween(state, 2 * DAY, 3 * DAY).tokens).toBe(1000);
  });

  it("counts tokens from two sources once, and loses nothing when the better source comes later", () => {
    const state = stateAfter([
      tokens(0, 500),
      tokens(MINUTE, 100),
      tokens(MINUTE, 100, 0.5, "telemetry"),
      tokens(2 * MINUTE, 50, undefined, "stream"),
    ]);
    expect(spentBetween(state, 0, DAY)).toEqual({ tokens: 600, costUsd: 0.5, unpriced: 500 });
  });

  it("includes the number of tokens without a price, and treats a price of 0 as none", () => {
    expect(spentBetween(stateAfter([tokens(0, 70), tokens(0, 30, 0)]), 0, DAY)).toEqual({
      tokens: 100,
      costUsd: 0,
      unpriced: 100,
    });
    expect(spentBetween(stateAfter([tokens(0, 70, 0.1), tokens(0, 30)]), 0, DAY).unpriced).toBe(30);
  });

  it("applies the price at the end of a turn to everything before it", () => {
    const state = stateAfter([tokens(0, 70, undefined, "stream"), tokens(HOUR, 0, 2, "stream")]);
    expect(spentBetween(state, 0, DAY)).toEqual({ tokens: 70, costUsd: 2, unpriced: 0 });
  });

  it("is bounded and never reduced by invalid numbers", () => {
    const state = stateAfter([
      ...Array.from({ length: 1000 }, (_, n) => tokens(n * HOUR, 1)),
      tokens(0, 5),
      tokens(999 * HOUR, Number.NaN, -3),
    ]);
    expect(state.bySource.get("transcript")?.length).toBe(104);
    expect(spentBetween(state, 976 * HOUR, 1000 * HOUR).tokens).toBe(24);
    expect(spentBetween(state, 0, DAY).tokens).toBe(0);
  });
});
