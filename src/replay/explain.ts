/** Explains the judgement of a recording: at each change of the verdict, or at one moment. */
import { type Assessment, decidingRule } from "../core/judgement/assess.js";
import type { Evidence } from "../core/judgement/evidence/state.js";
import type { Signal } from "../core/signal.js";
import type { ScreenExplanation } from "../readers/terminal/explain.js";
import type { TerminalReader } from "../readers/terminal/terminal.js";

export interface ExplainedMoment {
  /** Seconds from the start of the recording. */
  t: number;
  /** The rule that decided, such as `byPrompt`; null if none applied. */
  rule: string | null;
  assessment: Pick<Assessment, "state" | "cause" | "confidence" | "level" | "kinds" | "reasons">;
  /** Signals since the last judgement that had signals. */
  signals: Signal[];
  /** The last check of the screen; null without one. */
  screen: ScreenExplanation | null;
}

/** At the last judgement up to `at` seconds; at every change of state or cause if that is null. */
export class ExplanationCollector {
  readonly moments: ExplainedMoment[] = [];
  readonly #at: number | null;
  #signals: Signal[] = [];

  constructor(at: number | null) {
    this.#at = at;
  }

  signal(signal: Signal): void {
    this.#signals.push(signal);
  }

  assessed(assessment: Assessment, evidence: Evidence, terminal: TerminalReader | null, startAt: number): void {
    const signals = this.#signals;
    this.#signals = [];
    const t = Math.max(0, assessment.at - startAt) / 1000;
    if (this.#at === null ? this.#isKnown(assessment) : t > this.#at) return;
    const { state, cause, confidence, level, kinds, reasons } = assessment;
    const moment: ExplainedMoment = {
      t,
      rule: decidingRule(evidence, assessment.at),
      assessment: { state, cause, confidence, level, kinds, reasons },
      // The judgement every ten seconds has no signals of its own.
      signals: signals.length === 0 && this.#at !== null ? (this.moments[0]?.signals ?? []) : signals,
      screen: terminal?.explain() ?? null,
    };
    if (this.#at === null) this.moments.push(moment);
    else this.moments[0] = moment;
  }

  #isKnown({ state, cause }: Assessment): boolean {
    const last = this.moments.at(-1)?.assessment;
    return last?.state === state && last.cause === cause;
  }
}
