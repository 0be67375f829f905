/**
 * Repeated error: the same error N times within M minutes, whatever was tried. Failures of the network, the service or
 * the account are not counted here, they repeat by nature (`retries.ts`); nor are tools that the user refused or
 * interrupted. A change of the world restarts the count, because the agent is trying something else. So does a
 * successful call: in 52 quiet hours of real transcripts six healthy agents met one error five times within ten minutes
 * and succeeded by other means in between.
 */
import { SAME_ERRORS_MAX, settingOf } from "../../defaults.js";
import type { Signal, Source } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { MINUTE } from "../../text/time.js";
import { rememberBounded } from "./bounded.js";
import type { DetectorOptions, DetectorVerdict } from "./verdict.js";
import { CONFIDENCE } from "./verdict.js";
import type { WorldState } from "./world.js";
import { createWorld, takeWorld } from "./world.js";

interface Repeats {
  source: Source;
  /** Newest last. */
  times: number[];
  /** The last round with it: calls of one reply that fail together are one attempt. */
  round?: string;
  text?: string;
}

export interface ErrorsState {
  byDigest: Map<string, Repeats>;
  /** Of recent calls. */
  rounds: Map<string, string>;
  world: WorldState;
}

export interface ErrorsVerdict extends DetectorVerdict {
  cause: "repeated_error";
  count: number;
}

const DIGESTS_MAX = 32;
const ROUNDS_MAX = 64;
const INFRA_CAUSES: ReadonlySet<string> = new Set(["api", "auth", "billing", "unreachable"]);

export function createErrors(): ErrorsState {
  return { byDigest: new Map(), rounds: new Map(), world: createWorld() };
}

export function takeErrors(state: ErrorsState, signal: Signal): void {
  if (takeWorld(state.world, signal) || (signal.kind === "turn" && signal.byUser)) {
    state.byDigest.clear();
    return;
  }
  if (signal.kind === "tool_end" && signal.edgeOnly) return;
  if (signal.kind === "tool_start" && signal.round !== undefined)
    rememberBounded(state.rounds, signal.id, signal.round, ROUNDS_MAX);
  if (signal.kind === "tool_end" && signal.ok) state.byDigest.clear();
  const failure = failureOf(signal);
  if (failure === null) return;
  const repeats: Repeats = state.byDigest.get(failure.digest) ?? { times: [], source: signal.source };
  const round = signal.kind === "tool_end" ? state.rounds.get(signal.id) : undefined;
  if (round !== undefined && repeats.round === round) return;
  if (round !== undefined) repeats.round = round;
  repeats.times.push(signal.at);
  repeats.source = signal.source;
  if (repeats.times.length > SAME_ERRORS_MAX) repeats.times.shift();
  if (failure.text !== undefined) repeats.text = failure.text.slice(0, 200);
  rememberBounded(state.byDigest, failure.digest, repeats, DIGESTS_MAX);
}

export function errorsVerdict(state: ErrorsState, now: number, options?: DetectorOptions): ErrorsVerdict | null {
  const windowMs = settingOf(options, "repeated_error_window_minutes") * MINUTE;
  // Feedback about false alarms may raise it beyond the number of stored times.
  const threshold = Math.min(settingOf(options, "repeated_error_threshold"), SAME_ERRORS_MAX);
  let worst: ErrorsVerdict | null = null;
  for (const { times, text, source } of state.byDigest.values()) {
    const within = times.filter((at) => now - at <= windowMs);
    const first = within[0];
    if (first === undefined || within.length < threshold || within.length <= (worst?.count ?? 0)) continue;
    const quoted = text ? `: ${text}` : "";
    worst = {
      cause: "repeated_error",
      since: first,
      count: within.length,
      confidence: CONFIDENCE.medium,
      reason: `The same error ${within.length} times in ${formatDuration(now - first)} (${source})${quoted}`,
    };
  }
  return worst;
}

function failureOf(signal: Signal): { digest: string; text?: string | undefined } | null {
  if (signal.kind === "error") {
    return INFRA_CAUSES.has(signal.cause) ? null : { digest: signal.digest, text: signal.text };
  }
  if (signal.kind !== "tool_end" || signal.ok || signal.infra || signal.refused || signal.interrupted) return null;
  return signal.error === undefined ? null : { digest: signal.error, text: signal.preview };
}
