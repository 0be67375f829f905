/**
 * The completion marker (`<promise>COMPLETE</promise>` or another) is expected only if the prompt or the command line
 * asked for it. It is missing if a turn ended without it, long enough ago that no more output will follow.
 */
import type { SleepSpans } from "../../awake.js";
import { awakeMs, takeAsleep } from "../../awake.js";
import { settingOf } from "../../defaults.js";
import type { Signal, Source } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { MINUTE } from "../../text/time.js";
import type { DetectorOptions, DetectorVerdict } from "./verdict.js";
import { CONFIDENCE, isBeyond, turnEdge } from "./verdict.js";

export interface CompletionState {
  asked: boolean;
  given: boolean;
  /** The marker, if the command line asks for it: a headless run may write no record, so its output counts too. */
  marker: string | null;
  /** Null until the first turn has ended: no marker is expected before. */
  endedAt: number | null;
  endedBy: Source | null;
  active: boolean;
  promptOpen: boolean;
  asleep: SleepSpans;
}

export interface CompletionVerdict extends DetectorVerdict {
  cause: "no_completion_signal";
}

export function createCompletion(): CompletionState {
  return {
    asked: false,
    given: false,
    marker: null,
    endedAt: null,
    endedBy: null,
    active: false,
    promptOpen: false,
    asleep: [],
  };
}

export function askByCommand(state: CompletionState, command: readonly string[], marker: string): void {
  if (marker === "" || !command.some((word) => word.includes(marker))) return;
  state.asked = true;
  state.marker = marker;
}

export const owesMarker = ({ asked, given }: CompletionState): boolean => asked && !given;

export function takeCompletion(state: CompletionState, signal: Signal): void {
  takeAsleep(state.asleep, signal);
  const edge = turnEdge(signal);
  if (edge === "start") {
    state.active = true;
    state.endedAt = null;
  } else if (edge === "end" && state.active) {
    state.active = false;
    state.endedAt = signal.at;
    state.endedBy = signal.source;
  }
  if (signal.kind === "prompt") state.promptOpen = signal.open;
  if (signal.kind === "report" && signal.state === "complete") state.given = true;
  if (signal.kind === "screen" && state.marker !== null && !state.given)
    state.given = signal.reading.marker === true || signal.reading.marked === true;
  if (signal.kind !== "message") return;
  if (signal.role === "assistant") state.given ||= signal.marker === true;
  else {
    // A "continue" in between does not cancel the request; a new session does.
    state.asked = signal.marker === true || (state.asked && !signal.newSession);
    state.given = false;
    state.endedAt = null;
  }
}

export function completionVerdict(
  state: CompletionState,
  now: number,
  options?: DetectorOptions,
): CompletionVerdict | null {
  if (!owesMarker(state) || state.endedAt === null || state.promptOpen || options?.turnActive === true) return null;
  const ageMs = awakeMs(state.asleep, state.endedAt, now);
  if (!isBeyond(state.endedAt, ageMs, settingOf(options, "completion_timeout_minutes") * MINUTE, options)) return null;
  return {
    cause: "no_completion_signal",
    since: state.endedAt,
    confidence: CONFIDENCE.high,
    reason: `The turn ended ${formatDuration(ageMs)} ago (${state.endedBy}) without the requested completion marker`,
  };
}
