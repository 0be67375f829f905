/**
 * An agent that rouse cannot see, such as one in an isolated environment: neither its process nor its terminal or records can be
 * read, and its checkpoints are all there is. They decide as long as it holds a task.
 */
import { formatAgo } from "../../text/duration.js";
import { checkpointVerdict, claimVerdict } from "../evidence/checkpoint.js";
import type { Evidence } from "../evidence/state.js";
import type { JudgementRule } from "../rule.js";

/** Only reports arrive, and it holds or held a task. */
export function onlyReports({ progress, checkpoint }: Evidence): boolean {
  const { stream, transcript, hook } = progress.seen;
  return checkpoint.claimedAt !== null && (stream ?? transcript ?? hook) === undefined && progress.reading === null;
}

export const byOwnReports: JudgementRule = ({ evidence, now, settings, dueAfter, since }) => {
  if (evidence.blind === null || !onlyReports(evidence)) return null;
  const options = { ...settings, turnActive: false, dueAfter };
  const { checkpoint } = evidence;
  if (checkpoint.claims.size === 0)
    return { state: "idle", cause: null, confidence: 0.5, reasons: ["Holds no task any more (report)"] };
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
