/**
 * The activity fingerprint of the watchdog monitor: last line, status and reply, with the volatile cells masked by
 * the reader. If it is unchanged over N polls of a busy session, it is suspicious.
 *
 * It is not a silence clock. It runs only while a turn is running and nothing on the screen explains the stillness (a
 * tool, a dialog, a retry, a limit, a compaction), and the first screen is only a baseline. Screens are reported when
 * they change, so the number of polls since the last change follows from the time. Progress in a structured source
 * restarts it, whatever the screen shows.
 */
import type { SleepSpans } from "../../awake.js";
import { awakeMs, takeAsleep } from "../../awake.js";
import { settingOf } from "../../defaults.js";
import type { ScreenReading, Signal, StatusSignal } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { SECOND } from "../../text/time.js";
import { rememberBounded } from "./bounded.js";
import type { DetectorOptions, DetectorVerdict } from "./verdict.js";
import { CONFIDENCE, turnEdge } from "./verdict.js";

export interface FingerprintState {
  print: string | null;
  /** Since when the fingerprint is unchanged, or stillness could be meaningful. */
  since: number;
  reading: ScreenReading | null;
  status: StatusSignal["status"] | null;
  active: boolean;
  tools: Map<string, true>;
  explained: boolean;
  asleep: SleepSpans;
}

export interface FingerprintVerdict extends DetectorVerdict {
  cause: "frozen_screen";
  intervals_stuck: number;
  last_activity: number;
}

const TOOLS_MAX = 64;

export function createFingerprint(): FingerprintState {
  return {
    print: null,
    since: 0,
    reading: null,
    status: null,
    active: false,
    tools: new Map(),
    explained: false,
    asleep: [],
  };
}

export function takeFingerprint(state: FingerprintState, signal: Signal): void {
  takeAsleep(state.asleep, signal);
  const edge = turnEdge(signal);
  const wasCounting = counts(state);
  if (edge !== null) state.active = edge === "start";
  if (edge === "end") state.tools.clear();
  if (signal.kind === "status") state.status = signal.status;
  if (signal.kind === "screen") state.reading = signal.reading;
  if (signal.kind === "tool_start") rememberBounded(state.tools, signal.id, true, TOOLS_MAX);
  if (signal.kind === "tool_end") state.tools.delete(signal.id);
  if (signal.kind === "prompt") state.explained = signal.open;
  if (signal.kind === "compaction") state.explained = signal.phase === "start";

  const print = signal.kind === "screen" || signal.kind === "status" ? fingerprintOf(state) : state.print;
  if (print !== state.print || isProgress(signal) || !wasCounting || !counts(state)) state.since = signal.at;
  state.print = print;
}

export function fingerprintVerdict(
  state: FingerprintState,
  now: number,
  options?: DetectorOptions,
): FingerprintVerdict | null {
  if (!counts(state) || options?.turnActive === false) return null;
  const pollMs = settingOf(options, "poll_interval_secs") * SECOND;
  const stillMs = awakeMs(state.asleep, state.since, now);
  const intervals = Math.floor(stillMs / pollMs);
  if (!(intervals >= settingOf(options, "stuck_threshold_intervals"))) return null;
  return {
    cause: "frozen_screen",
    since: state.since,
    last_activity: state.since,
    intervals_stuck: intervals,
    confidence: CONFIDENCE.medium,
    reason: `Shows as busy, but the screen has not changed for ${formatDuration(stillMs)} (screen, ${intervals} checks, ${pollMs / SECOND} s apart)`,
  };
}

/**
 * Includes the token counter: while it grows, the model writes, even without visible text. All parts are digests, so
 * the result is short.
 */
function fingerprintOf({ reading, status }: FingerprintState): string | null {
  if (reading === null) return null;
  return `${reading.lastLine}\n${status}\n${reading.reply}\n${reading.tokens}`;
}

/** Whether stillness is meaningful now. */
function counts(state: FingerprintState): boolean {
  const { reading } = state;
  if (!state.active || state.explained || state.tools.size > 0 || reading === null) return false;
  return !(reading.dialog || reading.tool || reading.retry || reading.limit || reading.compacting);
}

function isProgress(signal: Signal): boolean {
  return signal.kind === "delta" || signal.kind === "message" || signal.kind === "tokens";
}
