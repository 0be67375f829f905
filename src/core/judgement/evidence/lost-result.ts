/**
 * Lost result: a background command or subagent ended while the agent was at its prompt, and the agent never picked the
 * result up. Any sign of a turn picks it up. If the user interrupts or types, nothing is lost. A queue of messages is no
 * evidence: on real transcripts its count is often left over.
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

export function createLostResult(): LostResultState {
  return { background: new Map(), endedAt: null, idleSince: null, source: null, asleep: [] };
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
      if (signal.background) {
        rememberBounded(state.background, signal.id, true, BACKGROUND_MAX);
        break;
      }
      // The first end of a background call, within the turn, only means that it was launched; its report may be late.
      if (state.idleSince === null || signal.at < state.idleSince || !state.background.has(signal.id)) break;
      state.background.delete(signal.id);
      // A user who stopped it expects no result.
      if (signal.interrupted) break;
      state.endedAt ??= signal.at;
      state.source = signal.source;
      break;
    case "turn":
      if (signal.phase === "interrupted") state.endedAt = null;
      break;
    case "input":
      if (signal.by !== "rouse") state.endedAt = null;
      break;
    case "exit":
      state.endedAt = null;
      break;
    default:
  }
}

export function lostResultVerdict(
  state: LostResultState,
  now: number,
  options?: DetectorOptions,
): LostResultVerdict | null {
  if (state.idleSince === null || state.endedAt === null || options?.turnActive === true) return null;
  const since = Math.max(state.endedAt, state.idleSince);
  const ageMs = awakeMs(state.asleep, since, now);
  if (!isBeyond(since, ageMs, settingOf(options, "lost_result_seconds") * SECOND, options)) return null;
  return {
    cause: "lost_result",
    since,
    confidence: CONFIDENCE.medium,
    reason: `At its prompt for ${formatDuration(ageMs)} without picking up a background result (${state.source})`,
  };
}

function takesUp(signal: Signal): boolean {
  if (signal.kind === "message") return signal.role === "assistant";
  return signal.kind === "delta" || signal.kind === "tool_start" || turnEdge(signal) === "start";
}
