import { formatAgo } from "../../text/duration.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/**
 * The agent's own report holds until its next turn. "working" proves nothing and is left to the evidence (`by-end.ts`).
 */
export function byReport({ evidence, active, since }: RuleInput): RuleVerdict | null {
  const { report } = evidence;
  if (!report || report.state === "working") return null;
  // A new turn or a new request invalidates the report.
  if (Math.max(evidence.turn.startedAt ?? 0, evidence.turn.askedAt ?? 0) > report.at) return null;
  // Of an agent that rouse cannot see, the newer statement counts.
  if (evidence.blind?.byReports && (evidence.checkpoint.checkpointAt ?? 0) > report.at) return null;
  if (active && report.state === "complete") return null;
  const text = report.text ? `: ${report.text}` : "";
  return {
    state: report.state,
    cause: report.state === "needs_input" ? "input" : null,
    confidence: 0.8,
    reasons: [`The agent reported ${report.state} ${formatAgo(since(report.at))} (report)${text}`],
  };
}
