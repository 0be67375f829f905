import { formatFor } from "../../text/duration.js";
import { COMPACTION_REPORT_MS } from "../clocks.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

export function byCompaction({ evidence, since, dueAfter }: RuleInput): RuleVerdict | null {
  if (evidence.compacting === null) return null;
  const { at, source } = evidence.compacting;
  dueAfter(at, COMPACTION_REPORT_MS);
  const stuck = since(at) >= COMPACTION_REPORT_MS;
  return {
    state: stuck ? "stuck" : "waiting",
    cause: "compaction",
    confidence: 0.8,
    reasons: [`Compacting its context ${formatFor(since(at))} (${source})`],
  };
}
