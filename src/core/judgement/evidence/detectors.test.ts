import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Signal } from "../../signal.js";
import { SOURCES, TOOL_CLASSES } from "../../signal.js";
import { burnVerdict, createBurn, takeBurn } from "./burn.js";
import { checkpointVerdict, claimVerdict, createCheckpoint, takeCheckpoint } from "./checkpoint.js";
import { completionVerdict, createCompletion, takeCompletion } from "./completion.js";
import { createErrors, errorsVerdict, takeErrors } from "./errors.js";
import { createFingerprint, fingerprintVerdict, takeFingerprint } from "./fingerprint.js";
import { createLifecycle, neverExitedVerdict, neverStartedVerdict, takeLifecycle } from "./lifecycle.js";
import { createLostResult, lostResultVerdict, takeLostResult } from "./lost-result.js";
import { createPoisoned, poisonedVerdict, takePoisoned } from "./poisoned.js";
import { createRetries, retriesVerdict, takeRetries } from "./retries.js";
import { createSpin, spinVerdict, takeSpin } from "./spin.js";

interface Detector {
  state: unknown;
  take: (signal: Signal) => void;
  verdicts: (now: number) => ({ since: number; reason: string } | null)[];
}

function detector<State>(
  state: State,
  take: (state: State, signal: Signal) => void,
  ...verdicts: ((state: State, now: number) => { since: number; reason: string } | null)[]
): Detector {
  return { state, take: (signal) => take(state, signal), verdicts: (now) => verdicts.map((of) => of(state, now)) };
}

const every = (): Detector[] => [
  detector(createErrors(), takeErrors, errorsVerdict),
  detector(createRetries(), takeRetries, retriesVerdict),
  detector(createBurn(), takeBurn, burnVerdict),
  detector(createSpin(), takeSpin, spinVerdict),
  detector(createFingerprint(), takeFingerprint, fingerprintVerdict),
  detector(createCheckpoint(), takeCheckpoint, checkpointVerdict, claimVerdict),
  detector(createCompletion(), takeCompletion, completionVerdict),
  detector(createLostResult(), takeLostResult, lostResultVerdict),
  detector(createLifecycle(), takeLifecycle, neverStartedVerdict, neverExitedVerdict),
  detector(createPoisoned(), takePoisoned, poisonedVerdict),
];

/** Counts the values of a state at any depth. */
function sizeOf(value: unknown): number {
  if (value === null || typeof value !== "object") return 1;
  const inner = value instanceof Map ? [...value.keys(), ...value.values()] : Object.values(value);
  return inner.reduce((sum: number, part) => sum + sizeOf(part), 1);
}

/** Words that a reason must not contain, except as the name of a task. */
const HOLE = /undefined|NaN|null/;
const name = fc.string({ maxLength: 5 }).filter((text) => !HOLE.test(text));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.oneof(fc.integer({ min: 0, max: 10_000_000 }), fc.double());
const reading = fc.record({
  reply: name,
  lastLine: name,
  busy: fc.constantFrom(true, false, null),
  moving: fc.boolean(),
  composer: fc.constantFrom("empty", "draft", "hidden"),
  tokens: maybe(fc.nat()),
  ended: maybe(fc.boolean()),
  retry: maybe(fc.record({ attempt: maybe(fc.nat()), delayMs: maybe(fc.double()), text: name })),
});
const facts: Record<string, fc.Arbitrary<object>> = {
  turn: fc.record({ phase: fc.constantFrom("start", "end", "interrupted"), byUser: fc.boolean() }),
  status: fc.record({ status: fc.constantFrom("working", "idle", "done", "clear") }),
  tool_start: fc.record({
    id: name,
    tool: name,
    class: fc.constantFrom(...TOOL_CLASSES),
    call: name,
    subject: maybe(name),
    after: maybe(name),
    background: fc.boolean(),
  }),
  tool_end: fc.record({
    id: name,
    ok: fc.boolean(),
    outcome: name,
    raw: name,
    error: maybe(name),
    preview: maybe(name),
  }),
  message: fc.record({ role: fc.constantFrom("user", "assistant"), digest: name, marker: fc.boolean() }),
  delta: fc.record({ channel: fc.constant("content"), chars: fc.nat() }),
  tokens: fc.record({ input: fc.double(), output: fc.double(), costUsd: fc.double() }),
  retry: fc.record({
    attempt: maybe(fc.nat()),
    nextAt: maybe(fc.double()),
    infra: maybe(fc.constantFrom("rate", "refused", "auth")),
    text: maybe(name),
  }),
  error: fc.record({ cause: fc.constantFrom("api", "crash"), final: fc.boolean(), digest: name, text: maybe(name) }),
  prompt: fc.record({ open: fc.boolean() }),
  screen: fc.record({ reading }),
  process: fc.record({ alive: fc.constantFrom(true, false, null), children: fc.nat(), cpuMs: fc.nat() }),
  exit: fc.record({ code: fc.constant(0), signal: fc.constant(null) }),
  file: fc.record({ path: name, digest: maybe(name) }),
  commit: fc.record({ id: name }),
  checkpoint: fc.record({ task: maybe(name), step: maybe(fc.double()), text: maybe(name) }),
  claim: fc.record({ task: name, phase: fc.constantFrom("taken", "renewed", "released") }),
  queue: fc.record({ op: fc.constantFrom("enqueue", "dequeue"), depth: maybe(fc.double()) }),
  input: fc.record({ by: fc.constantFrom("human", "rouse"), bytes: fc.nat(), submits: fc.boolean() }),
  gap: fc.record({ from: time, to: time }),
  unheard_of: fc.object(),
};
const signal = fc
  .constantFrom(...Object.keys(facts))
  .chain((kind) => fc.tuple(fc.constant(kind), time, fc.constantFrom(...SOURCES), facts[kind] ?? fc.object()))
  .map(([kind, at, source, fact]) => ({ ...fact, kind, at, source }) as unknown as Signal);

describe("every detector", () => {
  /** Edge numbers that random draws hardly ever reach. */
  it.each<[string, object[], number]>([
    ["a checkpoint's step", [{ kind: "checkpoint", step: Number.NaN }], 1_200_001],
    ["the depth of a queue", [{ kind: "queue", op: "enqueue", depth: Number.NaN }], 60_001],
    ["the time", [{ kind: "tokens", input: 0, output: 100_000 }], Number.NaN],
  ])("gives a readable reason if %s is not a number", (_, facts, now) => {
    const turn = (phase: string) => [{ kind: "turn", phase, byUser: false }, ...facts];
    for (const phase of ["start", "end"]) {
      for (const { take, verdicts } of every()) {
        for (const fact of turn(phase)) take({ at: 0, source: "transcript", ...fact } as unknown as Signal);
        for (const verdict of verdicts(now)) expect(verdict?.reason ?? "").not.toMatch(HOLE);
      }
    }
  });

  it("accepts any signals and gives a reason for each verdict", () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 150 }), time, (signals, now) => {
        for (const { take, verdicts } of every()) {
          for (const one of signals) take(one);
          for (const verdict of verdicts(now)) {
            if (verdict === null) continue;
            expect(verdict.reason).not.toBe("");
            expect(verdict.reason).not.toMatch(HOLE);
            expect(typeof verdict.since).toBe("number");
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("has no verdict without signals", () => {
    for (const { verdicts } of every()) expect(verdicts(1e12).filter((verdict) => verdict !== null)).toEqual([]);
  });

  it("keeps a bounded state after any number of signals", () => {
    const detectors = every();
    const seed = fc.sample(signal, { numRuns: 300, seed: 7 });
    const feed = (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        const one = seed[i % seed.length] as Signal;
        const named = { id: `${i}`, digest: `${i}`, error: `${i}`, outcome: `${i}`, subject: `${i}`, task: `${i}` };
        for (const { take } of detectors) take({ ...one, ...named, at: i * 1000 } as Signal);
      }
      return detectors.map(({ state }) => sizeOf(state));
    };
    const early = feed(0, 6_000);
    const late = feed(6_000, 24_000);
    for (const [i, size] of late.entries()) expect(size).toBeLessThanOrEqual((early[i] ?? 0) * 1.2 + 20);
  });
});
