/**
 * What ended the work: final errors and limits, from records first, otherwise from the program's own rows on the
 * screen.
 */
import type { ErrorSignal, LimitSignal, ScreenReading, Signal, Source } from "../../signal.js";
import type { ErrorCause } from "../../states.js";

export interface Failure {
  cause: ErrorCause;
  text: string;
  at: number;
  source: Source;
}

export interface Limit {
  until: number | null;
  text: string;
  at: number;
  source: Source;
  resumesItself: boolean;
}

export interface FailuresEvidence {
  error: Failure | null;
  limit: Limit | null;
  /** Screen rows; they hold while they are visible and the turn is over. */
  shownError: Failure | null;
  shownLimit: Limit | null;
  /** Rows visible until a check found neither them nor a turn: a program redraws its screen as it exits. */
  left: { shownError: Failure | null; shownLimit: Limit | null; at: number } | null;
  /** A usage window is full although requests may still pass: a silence after it is the limit. */
  full: Limit | null;
}

export function createFailures(): FailuresEvidence {
  return { error: null, limit: null, shownError: null, shownLimit: null, left: null, full: null };
}

export function takeFailures(failures: FailuresEvidence, signal: Signal): void {
  switch (signal.kind) {
    case "error":
      if (signal.final) failures.error = failureOf(signal);
      return;
    case "limit":
      takeLimit(failures, signal);
      return;
    case "screen":
      takeScreen(failures, signal.reading, signal.at);
      return;
    // The work continues: earlier failures are past.
    case "delta":
    case "tool_start":
      clear(failures);
      return;
    case "message":
      if (signal.role === "assistant" || !signal.own) clear(failures);
      return;
    case "turn":
      if (signal.phase === "start") clear(failures);
      return;
    default:
      return;
  }
}

function clear(failures: FailuresEvidence): void {
  failures.error = null;
  failures.limit = null;
  failures.full = null;
}

function failureOf(signal: ErrorSignal): Failure {
  return { cause: signal.cause, text: signal.text ?? "", at: signal.at, source: signal.source };
}

function takeLimit(failures: FailuresEvidence, signal: LimitSignal): void {
  if (signal.level === "cleared") {
    failures.limit = null;
    failures.full = null;
    return;
  }
  const limit: Limit = {
    until: signal.until ?? null,
    text: signal.text ?? "",
    at: signal.at,
    source: signal.source,
    resumesItself: signal.resumesItself ?? false,
  };
  if (signal.level === "warning") {
    if (signal.full) failures.full = limit;
    return;
  }
  const known = failures.limit;
  failures.limit = known
    ? {
        ...limit,
        at: known.at,
        until: limit.until ?? known.until,
        resumesItself: limit.resumesItself || known.resumesItself,
      }
    : limit;
}

function takeScreen(failures: FailuresEvidence, reading: ScreenReading, at: number): void {
  const { error, limit, busy } = reading;
  const { shownError, shownLimit } = failures;
  if (error || limit || busy === true) failures.left = null;
  else if (shownError || shownLimit) failures.left = { shownError, shownLimit, at };
  failures.shownError = error
    ? {
        cause: error.cause,
        text: error.text,
        at: shownError?.text === error.text ? shownError.at : at,
        source: "screen",
      }
    : null;
  failures.shownLimit = limit ? limitShown(shownLimit, limit, at) : null;
}

/** "Resets in 2 hours" does not count down: the first computed time holds while the text stays the same. */
function limitShown(known: Limit | null, limit: NonNullable<ScreenReading["limit"]>, at: number): Limit {
  const until = known?.text === limit.text ? (known.until ?? limit.until) : limit.until;
  return {
    until: until ?? null,
    text: limit.text,
    at: known?.at ?? at,
    source: "screen",
    resumesItself: limit.resumesItself ?? false,
  };
}
