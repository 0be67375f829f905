/**
 * The spending of a session, in steps of 15 minutes over slightly more than a day, so that a night can be cut out in
 * any time zone.
 *
 * Each source is counted separately and the largest sum counts: the same tokens from two sources are never added up,
 * and a later source subtracts nothing. A sum is therefore a lower bound.
 */

import type { Signal, Source, TokensSignal } from "../../signal.js";
import { HOUR, MINUTE } from "../../text/time.js";

interface SpendStep {
  /** Number of the step since 1970. */
  slot: number;
  tokens: number;
  costUsd: number;
  /** Tokens without a price that no later price covers. */
  unpriced: number;
}

export interface SpendState {
  /** Oldest step first. */
  bySource: Map<Source, SpendStep[]>;
}

export interface TokenSpend {
  tokens: number;
  costUsd: number;
  /** Number of tokens without a known price: their cost is not in `costUsd`. */
  unpriced: number;
}

const STEP_MS: number = 15 * MINUTE;
/** The longest night is 25 hours, when clocks are set back. */
const STEPS_MAX: number = (26 * HOUR) / STEP_MS;

export function createSpend(): SpendState {
  return { bySource: new Map() };
}

export function takeSpend(state: SpendState, signal: Signal): void {
  if (signal.kind !== "tokens") return;
  const steps = state.bySource.get(signal.source) ?? [];
  state.bySource.set(signal.source, steps);
  const step = stepAt(steps, Math.floor(signal.at / STEP_MS));
  if (step) count(step, steps, signal);
}

/** The spending of a session in [from, to), according to the source with the highest count. */
export function spentBetween(state: SpendState, from: number, to: number): TokenSpend {
  const spent: TokenSpend = { tokens: 0, costUsd: 0, unpriced: 0 };
  let priced = 0;
  for (const steps of state.bySource.values()) {
    const inside = steps.filter(({ slot }) => slot * STEP_MS >= from && slot * STEP_MS < to);
    const tokens = sum(inside, "tokens");
    spent.tokens = Math.max(spent.tokens, tokens);
    spent.costUsd = Math.max(spent.costUsd, sum(inside, "costUsd"));
    priced = Math.max(priced, tokens - sum(inside, "unpriced"));
  }
  spent.unpriced = Math.max(0, spent.tokens - priced);
  return spent;
}

/** A price without tokens is that of a whole turn, reported at its end: it covers everything counted before. */
function count(step: SpendStep, steps: SpendStep[], { input, output, costUsd }: TokensSignal): void {
  const tokens = amount(input) + amount(output);
  const cost = amount(costUsd);
  step.tokens += tokens;
  step.costUsd += cost;
  // Programs write a price of 0 if they know none.
  if (cost === 0) step.unpriced += tokens;
  else if (tokens === 0) for (const earlier of steps) if (earlier.slot <= step.slot) earlier.unpriced = 0;
}

/** Signals may be late; those older than the kept steps are dropped. */
function stepAt(steps: SpendStep[], slot: number): SpendStep | null {
  const after = steps.findLastIndex((step) => step.slot <= slot) + 1;
  const known = steps[after - 1];
  if (known?.slot === slot) return known;
  if (after === 0 && steps.length >= STEPS_MAX) return null;
  const made: SpendStep = { slot, tokens: 0, costUsd: 0, unpriced: 0 };
  steps.splice(after, 0, made);
  if (steps.length > STEPS_MAX) steps.shift();
  return made;
}

const sum = (steps: readonly SpendStep[], what: "tokens" | "costUsd" | "unpriced"): number =>
  steps.reduce((total, step) => total + step[what], 0);

function amount(value: number | undefined): number {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? value : 0;
}
