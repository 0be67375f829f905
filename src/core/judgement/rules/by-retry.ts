import { retriesVerdict } from "../evidence/retries.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** The client retries by itself. That is a wait, unless retries cannot help or do not end. */
export function byRetry({ evidence, now, due, dueAfter, settings }: RuleInput): RuleVerdict | null {
  if (evidence.retries.sequence === null) return null;
  const retries = retriesVerdict(evidence.retries, now, { ...settings, dueAfter });
  if (!retries) return null;
  const { shownLimit } = evidence.failures;
  if (shownLimit && shownLimit.until !== null && retries.nextAt !== null) {
    // A retry announced for hours is the limit itself.
    return {
      state: "rate_limited",
      cause: "limit",
      confidence: 0.85,
      until: shownLimit.until,
      reasons: [retries.reason],
    };
  }
  if (retries.announcedUntil !== null) due(retries.announcedUntil + 1);
  switch (retries.phase) {
    case "auth":
      return { state: "error", cause: "auth", confidence: 0.9, reasons: [retries.reason] };
    case "unreachable":
      return { state: "error", cause: "unreachable", confidence: 0.85, reasons: [retries.reason] };
    case "storm":
      return { state: "stuck", cause: "retry_storm", confidence: 0.8, reasons: [retries.reason] };
    case "waiting":
      return { state: "waiting", cause: "retry", confidence: 0.9, until: retries.nextAt, reasons: [retries.reason] };
  }
}
