/**
 * An agent that rouse cannot see, such as one in an isolated environment: neither its process nor its terminal or records can be
 * read, and its reports and checkpoints are all there is. Its checkpoints decide as long as it holds a task.
 */
import { settingOf } from "../../defaults.js";
import { formatAgo, formatDuration } from "../../text/duration.js";
import { MINUTE } from "../../text/time.js";
import { checkpointVerdict, claimVerdict } from "../evidence/checkpoint.js";
import type { Evidence } from "../evidence/state.js";
import type { JudgementRule, RuleInput, RuleVerdict } from "../rule.js";

/** Only reports arrive: it was created by them, or it holds or held a task and nothing else is seen. */
export function onlyReports({ progress, checkpoint, blind }: Evidence): boolean {
  const { stream, transcript, hook } = progress.seen;
  return (
    blind?.byReports === true ||
    (checkpoint.claimedAt !== null && (stream ?? transcript ?? hook) === undefined && progress.reading === null)
  );
}

export const byOwnReports: JudgementRule = (question) => {
  const { evidence, now, settings, dueAfter, since } = question;
  if (evidence.blind === null || !onlyReports(evidence)) return null;
  const options = { ...settings, turnActive: false, dueAfter };
  const { checkpoint } = evidence;
  if (checkpoint.claims.size === 0) return evidence.blind.byReports ? byLastReport(question) : WITHOUT_TASK;
  const late = claimVerdict(checkpoint, now, options) ?? checkpointVerdict(checkpoint, now, options);
  if (late) {
    const { cause, confidence, reason } = late;
    // Nothing else can ever agree, so it is acted on by itself.
    return { state: "stuck", cause, confidence, reasons: [reason], act: true, kinds: ["record"] };
  }
  const at = Math.max(checkpoint.checkpointAt ?? 0, checkpoint.claimedAt ?? 0);
  if (at === 0) return null;
  const what =
    checkpoint.checkpointAt === null ? "Claimed its task" : `Last checkpoint ${checkpoint.text ?? ""}`.trim();
  const reasons = [`${what} ${formatAgo(since(at))} (${checkpoint.source})`];
  return { state: "working", cause: null, confidence: 0.5, reasons };
};

const WITHOUT_TASK: RuleVerdict = {
  state: "idle",
  cause: null,
  confidence: 0.5,
  reasons: ["Holds no task any more (report)"],
};

/** "working" holds for as long as a checkpoint may take. After that, nothing is known. */
function byLastReport({ evidence, settings, since, dueAfter }: RuleInput): RuleVerdict {
  const { report, reportedAt } = evidence;
  if (report?.state !== "working") return WITHOUT_TASK;
  const at = Math.max(report.at, reportedAt ?? 0);
  const limitMs = settingOf(settings, "checkpoint_stall_minutes") * MINUTE;
  const confidence = 0.5;
  if (since(at) > limitMs) {
    const reasons = [`No report for ${formatDuration(since(at))} (report); rouse cannot see this agent`];
    return { state: "unknown", cause: null, confidence: 0, reasons };
  }
  dueAfter(at, limitMs + 1);
  const text = report.text ? `: ${report.text}` : "";
  const reasons = [`The agent reported working ${formatAgo(since(report.at))} (report)${text}`];
  return { state: "working", cause: null, confidence, reasons };
}
