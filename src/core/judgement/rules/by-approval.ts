import { APPROVAL_AFTER_MS, ASKING_AFTER_MS, OVERRUN_AFTER_MS, REPLY_WRITTEN_MS, TOOL_CLOCKS } from "../clocks.js";
import type { OpenTool } from "../evidence/tools.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** Why an open call probably waits for approval. */
interface Approval {
  /** Since when it may be waiting, and how long that must last. */
  from: number;
  afterMs: number;
  /** After this time it is more likely to hang. */
  untilMs: number;
  confidence: number;
  why: string;
}

/** A call that stays open probably waits for approval, if no screen shows that it runs or asks. */
export function byApproval(question: RuleInput, tool: OpenTool, what: string, allowedMs: number): RuleVerdict | null {
  const { evidence, since, dueAfter } = question;
  if (evidence.progress.reading || evidence.session.permissions === "bypass") return null;
  const approval = approvalOf(question, tool, allowedMs);
  if (!approval) return null;
  const { from, afterMs, untilMs, confidence, why } = approval;
  dueAfter(from, afterMs);
  dueAfter(from, untilMs);
  if (since(from) < afterMs || since(from) >= untilMs) return null;
  return {
    state: "needs_input",
    cause: "permission",
    confidence,
    reasons: [`${what}; ${why}, so it is probably waiting for approval`],
  };
}

function approvalOf(question: RuleInput, tool: OpenTool, allowedMs: number): Approval | null {
  // The call runs, or asks, once the whole reply is written.
  const from = tool.completeAt ?? (tool.partial ? tool.at + REPLY_WRITTEN_MS : tool.at);
  const isUnstarted = isUnstartedIn(question);
  const never = Number.POSITIVE_INFINITY;
  if (tool.asks && isUnstarted(tool))
    return {
      from,
      afterMs: tool.class === "test" || tool.class === "build" ? APPROVAL_AFTER_MS : ASKING_AFTER_MS,
      // Once approved, it runs unseen: after the time of its class it may hang.
      untilMs: tool.limitMs === undefined ? TOOL_CLOCKS[tool.class].reportMs : never,
      confidence: 0.6,
      why: "the call asks for more permissions than the session has",
    };
  // Parallel calls may run one after the other.
  const turnAt = Math.max(from, question.evidence.tools.lastEndAt ?? 0);
  if (tool.class === "instant" || tool.class === "edit")
    return {
      from: turnAt,
      afterMs: APPROVAL_AFTER_MS,
      untilMs: never,
      confidence: 0.6,
      why: "this tool normally returns at once",
    };
  if (tool.limitMs === undefined || tool.source !== "transcript" || !isUnstarted(tool)) return null;
  const isAsking = question.evidence.session.permissions === "asking";
  return {
    from: isAsking ? turnAt : tool.at,
    afterMs: isAsking ? tool.limitMs + OVERRUN_AFTER_MS : allowedMs,
    untilMs: never,
    confidence: 0.5,
    why: "the program would have ended it by now",
  };
}

/** Of parallel calls, one that asks for a permission stops them all. */
export const asking = (question: RuleInput): OpenTool | null =>
  [...question.evidence.tools.open.values()].find((tool) => tool.asks && isUnstartedIn(question)(tool)) ?? null;

/** No child process has started since the call. `ps` reports the start of a process in whole seconds. */
const isUnstartedIn =
  ({ evidence }: RuleInput) =>
  ({ at }: OpenTool): boolean =>
    (evidence.progress.newestChildAt ?? 0) < at - 1000;
