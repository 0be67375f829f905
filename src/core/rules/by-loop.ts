import type { Question, Verdict } from "../assess.js";
import { burnVerdict } from "../evidence/burn.js";
import { errorsVerdict } from "../evidence/errors.js";
import { loopVerdict } from "../evidence/loop.js";

/** Very active and getting nowhere. */
export function byLoop({ evidence, now, active }: Question): Verdict | null {
  if (active === false) return null;
  const loop = loopVerdict(evidence.loop, now);
  if (loop) return { state: "stuck", cause: loop.cause, confidence: 0.85, reasons: [loop.reason] };
  const errors = errorsVerdict(evidence.errors, now, { turnActive: true });
  if (errors) return { state: "stuck", cause: errors.cause, confidence: errors.confidence, reasons: [errors.reason] };
  const burn = burnVerdict(evidence.burn, now, { turnActive: true });
  if (burn) return { state: "stuck", cause: burn.cause, confidence: burn.confidence, reasons: [burn.reason] };
  return null;
}
