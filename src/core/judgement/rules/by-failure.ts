import { formatAgo } from "../../text/duration.js";
import { SETTLE_MS } from "../clocks.js";
import type { Failure, Limit } from "../evidence/failures.js";
import { poisonedVerdict } from "../evidence/poisoned.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { turnEndOf, unconfirmedReason } from "./by-end.js";

/** Records of a limit or a final error come first, then the program's own row above an idle composer. */
export function byFailure(question: RuleInput): RuleVerdict | null {
  const { evidence, active } = question;
  const { failures } = evidence;
  const poisoned = poisonedVerdict(evidence.poisoned, question.now);
  if (poisoned && active !== true) {
    return { state: "error", cause: "poisoned_context", confidence: poisoned.confidence, reasons: [poisoned.reason] };
  }
  if (failures.limit) return limited(question, failures.limit);
  if (failures.error && active !== true) return failed(question, failures.error);
  // A screen row needs an idle composer: during a turn it is history or a quotation.
  if (active === true || evidence.turn.interrupted !== null) return null;
  const { shownLimit, shownError } = failures;
  const shown = shownLimit ?? shownError;
  if (shown && isUnread(question, shown.at)) {
    question.dueAfter(evidence.turn.endedAt ?? 0, SETTLE_MS.stale);
    return {
      state: "working",
      cause: null,
      confidence: 0.5,
      reasons: [unconfirmedReason(question, "ended", turnEndOf(evidence) ?? shown)],
    };
  }
  if (shownLimit && !isHistory(evidence, shownLimit.at)) return limited(question, shownLimit);
  if (shownError && !isHistory(evidence, shownError.at)) return failed(question, shownError);
  if (question.reported?.status !== "failed") return null;
  const { at, source } = question.reported;
  if (question.since(at) < SETTLE_MS.reason) {
    question.dueAfter(at, SETTLE_MS.reason);
    return {
      state: "working",
      cause: null,
      confidence: 0.5,
      reasons: [unconfirmedReason(question, "failed", { at, source })],
    };
  }
  return failed(question, { cause: "api", text: "the program gives no reason", at, source });
}

/**
 * The row was visible before the turn, which has just ended. It belongs to the previous turn until a check finds it
 * after this one. An unchanged screen is not read twice, so the row counts after a while.
 */
function isUnread({ evidence: { turn, exit }, since }: RuleInput, shownAt: number): boolean {
  if (exit || turn.startedAt === null || turn.endedAt === null || turn.endedAt < turn.startedAt) return false;
  return shownAt < turn.startedAt && since(turn.endedAt) < SETTLE_MS.stale;
}

/** A later turn was cut off: the row was scrolling away. */
function isHistory({ turn, exit }: Evidence, at: number): boolean {
  if (!exit || turn.startedAt === null || turn.startedAt <= at) return false;
  return turn.endedAt === null || turn.endedAt < turn.startedAt;
}

function limited({ evidence, since, due }: RuleInput, limit: Limit): RuleVerdict {
  const { shownLimit: shown } = evidence.failures;
  // A row that appeared after the recorded reset belongs to the next limit, whose record may not be written yet.
  const isNext = limit.until !== null && shown !== null && shown.until !== null && shown.at >= limit.until;
  const until = (isNext ? shown.until : (limit.until ?? shown?.until)) ?? null;
  if (until !== null) due(until);
  const itself = [limit, shown].find((reported) => reported?.resumesItself);
  return {
    state: "rate_limited",
    cause: "limit",
    confidence: limit.source === "screen" ? 0.85 : 0.95,
    until,
    reasons: [
      `Reached a usage limit ${formatAgo(since(limit.at))} (${limit.source}): ${limit.text || "no text"}`,
      ...(itself
        ? [`The program says it will resume on its own, ${formatAgo(since(itself.at))} (${itself.source})`]
        : []),
    ],
  };
}

function failed({ since }: RuleInput, failure: Failure): RuleVerdict {
  return {
    state: "error",
    cause: failure.cause,
    confidence: failure.source === "screen" ? 0.85 : 0.95,
    reasons: [
      `Stopped with an error ${formatAgo(since(failure.at))} (${failure.source}): ${failure.text || failure.cause}`,
    ],
  };
}
