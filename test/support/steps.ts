/** Step tables for the judgement: signals under a clock that the test moves, and the verdict at each step. */
import { type Assessment, assess } from "../../src/core/judgement/assess.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { ScreenReading, Signal } from "../../src/core/signal.js";
import { PLAIN_TRAITS, type Traits } from "../../src/core/traits.js";

/** Any morning; only the seconds after it count. */
export const START: number = Date.parse("2026-03-02T09:00:00Z");

type Timed<T> = T extends Signal ? Omit<T, "at"> : never;

export interface Step {
  /** Seconds after the start. */
  at: number;
  signal?: Timed<Signal>;
  /** `state` or `state/cause` at this moment. */
  expect?: string;
}

interface Walked {
  said: string[];
  expected: string[];
  /** At the last moment. */
  reasons: string[];
  level: Assessment["level"];
}

/** The verdict at each step with an expectation, beside the expectation: compare the two. */
export function walk(steps: readonly Step[], traits: Partial<Traits> = {}): Walked {
  const evidence = createEvidence({ ...PLAIN_TRAITS, ...traits });
  const said: string[] = [];
  const expected: string[] = [];
  let now = START;
  for (const { at, signal, expect } of steps) {
    now = START + at * 1000;
    if (signal) takeSignal(evidence, { ...signal, at: now } as Signal);
    if (expect === undefined) continue;
    said.push(`${at} ${short(assess(evidence, now))}`);
    expected.push(`${at} ${expect}`);
  }
  const { reasons, level } = assess(evidence, now);
  return { said, expected, reasons, level };
}

const short = ({ state, cause }: Pick<Assessment, "state" | "cause">): string => (cause ? `${state}/${cause}` : state);

export function screen(reading: Partial<ScreenReading>): Timed<Extract<Signal, { kind: "screen" }>> {
  const empty: ScreenReading = { reply: "r0", lastLine: "l0", busy: false, moving: false, composer: "empty" };
  return { kind: "screen", source: "screen", reading: { ...empty, ...reading } };
}
