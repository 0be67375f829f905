import type { Question, Verdict } from "../assess.js";
import { neverStartedVerdict } from "../evidence/lifecycle.js";

/** No turn was seen yet. */
export function byActivity({ evidence, now, word, due, settings }: Question): Verdict | null {
  const never = neverStartedVerdict(evidence.lifecycle, now, { ...settings, turnActive: false });
  if (never) return { state: "stuck", cause: never.cause, confidence: never.confidence, reasons: [never.reason] };
  if (evidence.firstAt === null) return null;
  due(now + 30_000);
  const heard = evidence.progress.seen.stream ?? evidence.progress.seen.transcript;
  if (!word && heard !== undefined) {
    return {
      state: "working",
      cause: null,
      confidence: 0.6,
      reasons: ["events come; whether a turn runs is not known"],
    };
  }
  const atComposer = (evidence.progress.reading?.composer ?? "hidden") !== "hidden";
  if (word || atComposer)
    return { state: "idle", cause: null, confidence: 0.8, reasons: ["at its prompt, no work given yet"] };
  return { state: "starting", cause: null, confidence: 0.7, reasons: ["the program is up, nothing to judge yet"] };
}
