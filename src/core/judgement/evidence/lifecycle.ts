/**
 * Start and end of a run. Never started: a submitted prompt gets no response, or the program shows nothing at all (for
 * example a headless one that waits for the end of its standard input). Never exited: a headless run has reported its
 * result and its process is still running. It must have been seen alive; a missing exit alone proves nothing.
 */
import type { SleepSpans } from "../../awake.js";
import { awakeMs, takeAsleep } from "../../awake.js";
import { settingOf } from "../../defaults.js";
import type { InputSignal, ScreenReading, Signal } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { SECOND } from "../../text/time.js";
import type { DetectorOptions, DetectorVerdict } from "./verdict.js";
import { CONFIDENCE, isBeyond, turnEdge } from "./verdict.js";

export interface LifecycleState {
  /** When the process was first seen alive. */
  upAt: number | null;
  alive: boolean;
  /** The program has produced any output. */
  shown: boolean;
  /** The program has drawn a screen or written a record. What is typed before that is typed into a loading program. */
  loaded: boolean;
  /** It has answered once. The first answer may be slow: a loading program already accepts keys. */
  answered: boolean;
  /** When a prompt was submitted that has no response yet. */
  submittedAt: number | null;
  submittedBy: InputSignal["by"];
  reply: string | null;
  composer: ScreenReading["composer"] | null;
  /** When the headless event stream reported its result. */
  resultAt: number | null;
  asleep: SleepSpans;
}

export interface LifecycleVerdict extends DetectorVerdict {
  cause: "never_started" | "never_exited";
}

/** Actions of rouse, the system or the user: none shows that the program responds. */
const NO_ANSWER: ReadonlySet<string> = new Set([
  "process",
  "input",
  "gap",
  "sight",
  "exit",
  "file",
  "commit",
  "session",
]);

export function createLifecycle(): LifecycleState {
  return {
    upAt: null,
    alive: false,
    shown: false,
    loaded: false,
    answered: false,
    submittedAt: null,
    submittedBy: "human",
    reply: null,
    composer: null,
    resultAt: null,
    asleep: [],
  };
}

export function takeLifecycle(state: LifecycleState, signal: Signal): void {
  takeAsleep(state.asleep, signal);
  if (signal.kind === "process" && signal.alive !== null) {
    state.alive = signal.alive;
    if (signal.alive) state.upAt ??= signal.at;
  }
  if (signal.kind === "exit") {
    state.alive = false;
    state.submittedAt = null;
  }
  if (signal.kind === "input" && signal.submits && state.loaded && state.submittedAt === null) {
    state.submittedAt = signal.at;
    state.submittedBy = signal.by;
  }
  if (answers(state, signal)) {
    if (state.submittedAt !== null) state.answered = true;
    state.submittedAt = null;
  }
  if (!NO_ANSWER.has(signal.kind)) state.shown = true;
  state.loaded ||= isLoaded(signal);
  if (signal.kind === "screen") {
    state.reply = signal.reading.reply;
    state.composer = signal.reading.composer;
  }
  if (signal.source !== "stream") return;
  const edge = turnEdge(signal);
  if (edge !== null) state.resultAt = edge === "end" ? (state.resultAt ?? signal.at) : null;
}

export function neverStartedVerdict(
  state: LifecycleState,
  now: number,
  options?: DetectorOptions,
): LifecycleVerdict | null {
  if (options?.turnActive === true) return null;
  // Enter in an empty composer submits nothing if the user presses it; rouse never does that.
  const submittedNothing = state.submittedBy === "human" && state.composer === "empty";
  const submittedMs = state.submittedAt === null ? 0 : awakeMs(state.asleep, state.submittedAt, now);
  const answerMs = settingOf(options, "never_started_seconds") * (state.answered ? 1 : 2) * SECOND;
  if (state.submittedAt !== null && !submittedNothing && isBeyond(state.submittedAt, submittedMs, answerMs, options)) {
    const reason = `A prompt was submitted ${formatDuration(submittedMs)} ago (${state.submittedBy === "human" ? "human" : "observer"}), but there is no response`;
    return { cause: "never_started", since: state.submittedAt, confidence: CONFIDENCE.medium, reason };
  }
  if (state.upAt === null || !state.alive || state.shown) return null;
  const upMs = awakeMs(state.asleep, state.upAt, now);
  if (!isBeyond(state.upAt, upMs, settingOf(options, "never_shown_seconds") * SECOND, options)) return null;
  const reason = `The process has been up for ${formatDuration(upMs)} (process) without any output`;
  return { cause: "never_started", since: state.upAt, confidence: CONFIDENCE.medium, reason };
}

export function neverExitedVerdict(
  state: LifecycleState,
  now: number,
  options?: DetectorOptions,
): LifecycleVerdict | null {
  if (state.resultAt === null || !state.alive) return null;
  const ageMs = awakeMs(state.asleep, state.resultAt, now);
  if (!isBeyond(state.resultAt, ageMs, settingOf(options, "never_exited_seconds") * SECOND, options)) return null;
  const reason = `The result was reported ${formatDuration(ageMs)} ago (stream), but the process is still running`;
  return { cause: "never_exited", since: state.resultAt, confidence: CONFIDENCE.high, reason };
}

/** Bytes and a title come before the first screen. */
function isLoaded(signal: Signal): boolean {
  if (signal.kind === "screen") return signal.reading.composer !== "hidden" || (signal.reading.tail ?? []).length > 0;
  return !NO_ANSWER.has(signal.kind) && signal.kind !== "output" && signal.kind !== "status";
}

/** A slash command starts no turn but repaints the screen, so a changed reply is a response too. */
function answers(state: LifecycleState, signal: Signal): boolean {
  if (signal.kind === "screen") {
    return signal.reading.busy === true || (state.reply !== null && state.reply !== signal.reading.reply);
  }
  if (signal.kind === "status") return signal.status !== "idle" && signal.status !== "clear";
  if (signal.kind === "prompt") return signal.open;
  return !NO_ANSWER.has(signal.kind) && signal.kind !== "output" && signal.kind !== "report" && signal.kind !== "queue";
}
