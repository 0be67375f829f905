/**
 * Retries of one request, from the first failure to the first sign of success. Meanwhile the state is a wait:
 *
 *   waiting      the client retries by itself and shows it
 *   storm        the retries exceed the ceiling; a client's own retry schedule is shorter (3 min, 5 attempts), but a wait
 *                for the network or a long retry-after may never end
 *   unreachable  the connection is refused: nothing listens there, and retries do not change that
 *   auth         a 401 is final, although some clients retry it ten times
 *
 * A single announced wait beyond the ceiling is respected once, until its time plus slack. If the next one is as long,
 * the ceiling counts from the first failure.
 */
import type { SleepSpans } from "../../awake.js";
import { awakeMs, takeAsleep } from "../../awake.js";
import { settingOf } from "../../defaults.js";
import type { InfraClass, RetrySignal, Signal } from "../../signal.js";
import { formatFor } from "../../text/duration.js";
import { MINUTE, SECOND } from "../../text/time.js";
import type { DetectorOptions } from "./verdict.js";
import { isBeyond, turnEdge } from "./verdict.js";

type Try = Pick<RetrySignal, "at" | "source" | "attempt" | "max" | "nextAt" | "infra" | "text">;

interface RetrySequence {
  since: number;
  source: RetrySignal["source"];
  /** The highest attempt number from the client, or the number of reported attempts without one. */
  attempt: number;
  max: number | null;
  nextAt: number | null;
  delayMs: number | null;
  pace: "growing" | "constant" | "unknown";
  longWaits: number;
  infra: InfraClass | null;
  refusedSince: number | null;
  /** When the retry line disappeared from the screen without any other sign. */
  hiddenAt: number | null;
  text: string;
}

export interface RetriesState {
  sequence: RetrySequence | null;
  /** When the client last finished an attempt: until then it was not silent. */
  leftAt: number | null;
  asleep: SleepSpans;
}

export interface RetriesVerdict {
  phase: "waiting" | "storm" | "unreachable" | "auth";
  attempt: number;
  max: number | null;
  nextAt: number | null;
  /** When the announced attempt is due at the latest. */
  announcedUntil: number | null;
  /** That time has passed without a signal. */
  overdue: boolean;
  pace: RetrySequence["pace"];
  infra: InfraClass | null;
  since: number;
  reason: string;
}

/** A longer announced wait was requested by the service (retry-after) and is not a step of a retry schedule. */
const LONG_WAIT_MS: number = 5 * MINUTE;
/** A retry line that disappeared this long ago no longer explains anything. */
const HIDDEN_MS: number = 60 * SECOND;

export function createRetries(): RetriesState {
  return { sequence: null, leftAt: null, asleep: [] };
}

export function takeRetries(state: RetriesState, signal: Signal): void {
  takeAsleep(state.asleep, signal);
  const shown = tryOf(signal);
  if (shown !== null) {
    takeTry(state, shown, signal.kind === "retry");
    return;
  }
  if (state.sequence === null) return;
  // A new request ends the old retries; if they continue, the screen or the next record shows them again.
  if (signal.kind === "input" && signal.submits) {
    state.sequence = null;
    return;
  }
  const isHidden = signal.kind === "screen" && state.sequence.source === "screen" && state.sequence.hiddenAt === null;
  if (endsRetrying(signal)) {
    state.leftAt = state.sequence.hiddenAt ?? signal.at;
    state.sequence = null;
  } else if (isHidden) {
    state.leftAt = state.sequence.hiddenAt = signal.at;
  }
}

/** A retry may be this much later than announced. */
const RETRY_SLACK_MS = 30 * SECOND;
/** A connection refused for this long means that nothing listens there; three attempts may take two seconds. */
const REFUSED_AFTER_MS = 20 * SECOND;
/**
 * Retries without a stated reason for this long mean that the service is unreachable; a dropped connection returns
 * earlier.
 */
const NAMELESS_AFTER_MS = 50 * SECOND;

export function retriesVerdict(state: RetriesState, now: number, options?: DetectorOptions): RetriesVerdict | null {
  const { sequence, asleep } = state;
  if (sequence === null) return null;
  if (
    sequence.hiddenAt !== null &&
    isBeyond(sequence.hiddenAt, awakeMs(asleep, sequence.hiddenAt, now), HIDDEN_MS, options)
  )
    return null;
  const ceilingMs = settingOf(options, "retry_ceiling_minutes") * MINUTE;
  const elapsedMs = awakeMs(asleep, sequence.since, now);
  const announcedUntil = sequence.nextAt === null ? null : sequence.nextAt + RETRY_SLACK_MS;
  const respected =
    sequence.longWaits === 1 && (sequence.delayMs ?? 0) > LONG_WAIT_MS && now <= (announcedUntil ?? now);
  const refusedMs = sequence.refusedSince === null ? 0 : awakeMs(asleep, sequence.refusedSince, now);
  if (sequence.refusedSince !== null) options?.dueAfter?.(sequence.refusedSince, REFUSED_AFTER_MS);
  options?.dueAfter?.(sequence.since, NAMELESS_AFTER_MS);
  options?.dueAfter?.(sequence.since, ceilingMs + 1);
  const refused = sequence.infra === "refused" && refusedMs >= REFUSED_AFTER_MS;

  // An event without a status or a reason comes from a connection that was never established.
  const nameless = sequence.infra === null && sequence.source === "stream" && elapsedMs >= NAMELESS_AFTER_MS;

  const phase =
    sequence.infra === "auth"
      ? "auth"
      : refused || nameless
        ? "unreachable"
        : elapsedMs > ceilingMs && !respected
          ? "storm"
          : "waiting";
  const of = sequence.max === null ? "" : ` of ${sequence.max}`;
  const tail = sequence.text ? `: ${sequence.text}` : "";
  return {
    phase,
    attempt: sequence.attempt,
    max: sequence.max,
    nextAt: sequence.nextAt,
    announcedUntil,
    overdue: announcedUntil !== null && now > announcedUntil,
    pace: sequence.pace,
    infra: sequence.infra,
    since: sequence.since,
    reason: `${PHASE_WORDS[phase]}, attempt ${sequence.attempt}${of}, ${formatFor(elapsedMs)} (${sequence.source})${tail}`,
  };
}

const PHASE_WORDS: Readonly<Record<RetriesVerdict["phase"], string>> = {
  waiting: "The client is retrying",
  storm: "Retries keep failing past the time limit",
  unreachable: "The connection is refused",
  auth: "The service rejects the credentials",
};

function takeTry(state: RetriesState, shown: Try, counts: boolean): void {
  const delayMs = shown.nextAt === undefined ? null : Math.max(0, shown.nextAt - shown.at);
  const before = state.sequence;
  // A screen repaints one countdown many times: only a new number is a new attempt.
  const another = before === null || (shown.attempt === undefined ? counts : shown.attempt !== before.attempt);
  const sequence: RetrySequence = before ?? {
    since: shown.at,
    source: shown.source,
    attempt: 0,
    max: null,
    nextAt: null,
    delayMs: null,
    pace: "unknown",
    longWaits: 0,
    infra: null,
    refusedSince: null,
    hiddenAt: null,
    text: "",
  };
  state.sequence = sequence;
  sequence.source = shown.source;
  sequence.hiddenAt = null;
  if (another) {
    sequence.attempt = shown.attempt ?? sequence.attempt + 1;
    if (delayMs !== null && sequence.delayMs !== null) {
      sequence.pace = delayMs > sequence.delayMs * 1.2 ? "growing" : "constant";
    }
    sequence.delayMs = delayMs;
    if (delayMs !== null && delayMs > LONG_WAIT_MS) sequence.longWaits += 1;
  }
  if (shown.max !== undefined) sequence.max = shown.max;
  sequence.nextAt = shown.nextAt ?? (another ? null : sequence.nextAt);
  if (shown.text) sequence.text = shown.text.slice(0, 200);
  if (shown.infra !== undefined) {
    if (shown.infra !== "refused") sequence.refusedSince = null;
    else sequence.refusedSince ??= shown.at;
    sequence.infra = shown.infra;
  }
}

function tryOf(signal: Signal): Try | null {
  if (signal.kind === "retry") return signal;
  if (signal.kind !== "screen" || signal.reading.retry === undefined) return null;
  const { delayMs, ...shown } = signal.reading.retry;
  const tried: Try = { ...shown, at: signal.at, source: "screen" };
  if (delayMs !== undefined) tried.nextAt = signal.at + delayMs;
  return tried;
}

function endsRetrying(signal: Signal): boolean {
  switch (signal.kind) {
    case "delta":
    case "message":
    case "tool_start":
    case "tool_end":
    case "turn":
      return true;
    case "tokens":
      return signal.output > 0;
    case "error":
      return signal.final;
    case "screen":
    case "status":
    case "exit":
      return turnEdge(signal) === "end";
    default:
      return false;
  }
}
