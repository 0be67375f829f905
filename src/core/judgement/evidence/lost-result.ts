/**
 * Lost result: something finished or was queued while the agent was at its prompt, and the agent never picked it up.
 * Either a message was enqueued and not dequeued, or a background tool or subagent ended after the turn. Any sign of a
 * turn picks the result up. If the user interrupts or types, nothing is lost.
 */
import type { SleepSpans } from "../../awake.js";
import { awakeMs, takeAsleep } from "../../awake.js";
import { settingOf } from "../../defaults.js";
import type { Signal, Source } from "../../signal.js";
import { formatDuration } from "../../text/duration.js";
import { SECOND } from "../../text/time.js";
import { rememberBounded } from "./bounded.js";
import type { DetectorOptions, DetectorVerdict } from "./verdict.js";
import { CONFIDENCE, isBeyond, turnEdge } from "./verdict.js";

export interface LostResultState {
  /** Calls that may end after the turn. */
  background: Map<string, true>;
  queued: number;
  queuedAt: number | null;
  endedAt: number | null;
  idleSince: number | null;
  /** The source of the pending result. */
  source: Source | null;
  asleep: SleepSpans;
}

export interface LostResultVerdict extends DetectorVerdict {
  cause: "lost_result";
}

const BACKGROUND_MAX = 64;
const QUEUED_MAX = 1000;

export function createLostResult(): LostResultState {
  return { background: new Map(), queued: 0, queuedAt: null, endedAt: null, idleSince: null, source: null, asleep: [] };
}

export function takeLostResult(state: LostResultState, signal: Signal): void {
  takeAsleep(state.asleep, signal);
  const edge = turnEdge(signal);
  if (edge === "end") state.idleSince ??= signal.at;
  if (edge === "start") state.idleSince = null;
  if (takesUp(signal)) state.endedAt = null;
  switch (signal.kind) {
    case "tool_start":
      if (signal.background || signal.class === "subagent")
        rememberBounded(state.background, signal.id, true, BACKGROUND_MAX);
      break;
    case "tool_end":
      // The first end of a background call, within the turn, only means that it was launched; its report may be late.
      if (state.idleSince === null || signal.at < state.idleSince || !state.background.has(signal.id)) break;
      state.background.delete(signal.id);
      state.endedAt ??= signal.at;
      state.source = signal.source;
      break;
    case "queue":
      takeQueue(state, signal.op, signal.depth, signal.at);
      if (state.endedAt === null) state.source = signal.source;
      break;
    case "turn":
      if (signal.phase === "interrupted") clear(state);
      break;
    case "input":
      if (signal.by === "human") clear(state);
      break;
    case "exit":
      clear(state);
      break;
    default:
  }
}

export function lostResultVerdict(
  state: LostResultState,
  now: number,
  options?: DetectorOptions,
): LostResultVerdict | null {
  if (state.idleSince === null || options?.turnActive === true) return null;
  const waiting = state.endedAt ?? state.queuedAt;
  if (waiting === null) return null;
  const since = Math.max(waiting, state.idleSince);
  const ageMs = awakeMs(state.asleep, since, now);
  if (!isBeyond(since, ageMs, settingOf(options, "lost_result_seconds") * SECOND, options)) return null;
  const what =
    state.endedAt === null ? `${state.queued} queued message${state.queued === 1 ? "" : "s"}` : "a background result";
  return {
    cause: "lost_result",
    since,
    confidence: CONFIDENCE.medium,
    reason: `At its prompt for ${formatDuration(ageMs)} without picking up ${what} (${state.source})`,
  };
}

function takeQueue(state: LostResultState, op: "enqueue" | "dequeue", depth: number | undefined, at: number): void {
  const counted = state.queued + (op === "enqueue" ? 1 : -1);
  const queued = depth !== undefined && Number.isFinite(depth) ? depth : counted;
  state.queued = Math.min(QUEUED_MAX, Math.max(0, queued));
  if (state.queued === 0) state.queuedAt = null;
  else state.queuedAt ??= at;
}

function takesUp(signal: Signal): boolean {
  if (signal.kind === "message") return signal.role === "assistant";
  return signal.kind === "delta" || signal.kind === "tool_start" || turnEdge(signal) === "start";
}

function clear(state: LostResultState): void {
  state.queued = 0;
  state.queuedAt = null;
  state.endedAt = null;
}
