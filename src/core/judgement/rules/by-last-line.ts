/**
 * What the last line of a program without a profile states, if nothing follows it. Such a program has no record and no
 * prompt: its output is all there is.
 */
import { formatAgo, formatFor } from "../../text/duration.js";
import { MINUTE, SECOND } from "../../text/time.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** How long nothing may follow. A program that failed may sleep before it tries again, as a child process then shows. */
const SILENCE_MS = { limit: 10 * SECOND, failure: 30 * SECOND, failureWithChild: 5 * MINUTE, marker: 30 * SECOND };

export function byLastLine(question: RuleInput): RuleVerdict | null {
  const { evidence, reported, active, since, dueAfter } = question;
  const { reading, outputAt, childWorkedAt, children } = evidence.progress;
  if (!reading || outputAt === null || !(reading.failure || reading.marker) || reading.failure?.earlier) return null;
  // An agent that it runs has records of its own.
  if (active === true && reported?.source !== "screen") return null;
  const failing = children === null || children === 0 ? SILENCE_MS.failure : SILENCE_MS.failureWithChild;
  const wait = reading.marker ? SILENCE_MS.marker : reading.failure?.limit ? SILENCE_MS.limit : failing;
  const quietAt = reading.failure?.limit ? outputAt : Math.max(outputAt, childWorkedAt ?? 0);
  dueAfter(quietAt, wait);
  return since(quietAt) < wait ? null : lastLine(question);
}

/** The same when the program has ended, so that nothing can follow. */
export function lastLine({ evidence, since }: RuleInput): RuleVerdict | null {
  const { reading, outputAt } = evidence.progress;
  if (!reading || outputAt === null) return null;
  const { failure, marker } = reading;
  const silent = `no output ${formatFor(since(outputAt))} (screen)`;
  if (marker) {
    const reasons = [`Printed the completion marker ${formatAgo(since(outputAt))} (screen)`];
    return { state: "complete", cause: null, confidence: 0.85, reasons };
  }
  if (!failure) return null;
  const line = failure.earlier ? "One of its last lines" : "Its last line";
  if (failure.limit) {
    const reasons = [`${line} names a limit, ${silent}: ${failure.text}`];
    return { state: "rate_limited", cause: "limit", confidence: 0.7, until: failure.until ?? null, reasons };
  }
  const reasons = [`${line} states a failure, ${silent}: ${failure.text}`];
  return { state: "error", cause: failure.cause ?? null, confidence: 0.7, reasons };
}
