import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySession as session } from "../../../test/support/any-session.js";
import { AGE, SOURCE } from "../../../test/support/reasons.js";
import type { Signal } from "../signal.js";
import { STATES } from "../states.js";
import { assess } from "./assess.js";
import { createEvidence, takeSignal } from "./evidence/evidence.js";
import { ALL, foldsFor } from "./evidence/folds.js";

const numRuns = process.env.ROUSE_FULL ? 20_000 : 300;
function judgedAt(signals: readonly Signal[], later: number) {
  const evidence = createEvidence();
  for (const signal of signals) takeSignal(evidence, signal);
  const now = (signals.at(-1)?.at ?? 1_700_000_000_000) + later;
  return { evidence, now };
}

describe("the judgement of any sequence of signals", () => {
  it("never throws, returns a known state with reasons, and rechecks only in the future", () => {
    fc.assert(
      fc.property(session, fc.nat(100_000_000), (signals, later) => {
        const { evidence, now } = judgedAt(signals, later);
        const assessment = assess(evidence, now);
        expect(STATES).toContain(assessment.state);
        expect(assessment.reasons.filter((reason) => reason !== "")).not.toEqual([]);
        expect(assessment.confidence).toBeGreaterThanOrEqual(0);
        expect(assessment.confidence).toBeLessThanOrEqual(1);
        if (assessment.recheckAt !== null) expect(assessment.recheckAt).toBeGreaterThan(now);
      }),
      { numRuns },
    );
  });

  it("does not change before its recheck time", () => {
    fc.assert(
      fc.property(session, fc.nat(4_000_000), fc.double({ min: 0, max: 1, noNaN: true }), (signals, later, share) => {
        const { evidence, now } = judgedAt(signals, later);
        const { state, cause, recheckAt } = assess(evidence, now);
        const between = now + Math.floor(((recheckAt ?? now + 100_000_000) - now - 1) * share);
        expect(assess(evidence, between)).toMatchObject({ state, cause });
      }),
      { numRuns },
    );
  });

  it("gives every reason with the age and source of its evidence", () => {
    fc.assert(
      fc.property(session, fc.nat(100_000_000), (signals, later) => {
        fc.pre(signals.length > 0);
        const { evidence, now } = judgedAt(signals, later);
        for (const reason of assess(evidence, now).reasons) {
          expect(reason).toMatch(AGE);
          expect(reason).toMatch(SOURCE);
        }
      }),
      { numRuns },
    );
  });

  it("is the same for the same signals and is not changed by a second call", () => {
    fc.assert(
      fc.property(session, fc.nat(10_000_000), (signals, later) => {
        const one = judgedAt(signals, later);
        const other = judgedAt(signals, later);
        const first = assess(one.evidence, one.now);
        expect(assess(one.evidence, one.now)).toEqual(first);
        expect(assess(other.evidence, other.now)).toEqual(first);
        expect(one.evidence).toEqual(other.evidence);
      }),
      { numRuns },
    );
  });

  it("is the same as if every part received every signal", () => {
    fc.assert(
      fc.property(session, (signals) => {
        const evidence = createEvidence();
        for (const signal of signals) {
          const asked = foldsFor(signal.kind);
          const before = structuredClone(evidence);
          for (const fold of ALL) if (!asked.includes(fold)) fold(evidence, signal);
          if (asked !== ALL) expect(evidence).toEqual(before);
          takeSignal(evidence, signal);
        }
      }),
      { numRuns },
    );
  });

  it("is not worse after a gap: unobserved time makes no agent stuck", () => {
    fc.assert(
      fc.property(session, fc.nat(100_000_000), (signals, slept) => {
        const { evidence, now } = judgedAt(signals, 0);
        const before = assess(evidence, now);
        takeSignal(evidence, { kind: "gap", source: "observer", at: now + slept, from: now, to: now + slept });
        const after = assess(evidence, now + slept);
        if (after.state === "stuck") expect(before.state).toBe("stuck");
      }),
      { numRuns },
    );
  });
});
