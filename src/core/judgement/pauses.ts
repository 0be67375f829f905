/**
 * The pauses of an agent in its own work. An agent that works in bursts (a long build, a slow service) is quiet for longer
 * than others and no less active, so the times of the activity assessment grow with its usual pauses: never below the
 * configured ones, at most four times as long, and not at all if `lookback_minutes` was set.
 */
import { awakeMs, type SleepSpans } from "../awake.js";
import { DEFAULTS, type Settings, settingOf } from "../defaults.js";
import type { Habit, Signal } from "../signal.js";
import { MINUTE } from "../text/time.js";
import {
  createLearned,
  habitsOf,
  type LearnedState,
  learnedThreshold,
  learnGap,
  takeHabits,
  usualGap,
} from "./learned.js";

export interface PausesState {
  learned: LearnedState;
  /** The last sign of activity; null if the pause after it is not the agent's own. */
  activeAt: number | null;
}

const PAUSE = { class: "pause" } as const;
/** Shorter gaps are part of a burst. */
const PAUSE_MIN_MS: number = 5 * MINUTE;
const FACTOR = 2;
const PACE_MAX = 4;

export function createPauses(): PausesState {
  return { learned: createLearned(), activeAt: null };
}

/** A sign of activity: it ends a pause. A pause for which the agent was called inactive is not learned. */
export function endPause(state: PausesState, at: number, asleep: SleepSpans, settings?: Settings): void {
  const from = state.activeAt;
  state.activeAt = Math.max(from ?? at, at);
  const gapMs = from === null ? 0 : at - from;
  if (from === null || gapMs < PAUSE_MIN_MS) return;
  const alarmed = gapMs > paceOf(state, settings) * settingOf(settings, "lookback_minutes") * MINUTE;
  learnGap(state.learned, PAUSE, gapMs, { alarmed, asleep: awakeMs(asleep, from, at) < gapMs });
}

/** After these the agent waits for a user, for its provider, or for work. */
export function takeWaits(state: PausesState, signal: Signal): void {
  if (isWait(signal)) state.activeAt = null;
}

function isWait(signal: Signal): boolean {
  switch (signal.kind) {
    case "turn":
    case "prompt":
    case "limit":
    case "retry":
    case "error":
    case "exit":
      return true;
    case "message":
      return signal.role === "user";
    case "input":
      return signal.by === "human";
    default:
      return false;
  }
}

/** How many times longer than usual the times of the assessment are for this agent: 1 to 4. */
export function paceOf({ learned }: PausesState, settings?: Settings): number {
  const minutes = settingOf(settings, "lookback_minutes");
  if (minutes !== DEFAULTS.lookback_minutes || settings?.own?.lookback_minutes !== undefined) return 1;
  const priorMs = minutes * MINUTE;
  const bounds = { priorMs, floorMs: priorMs, ceilingMs: PACE_MAX * priorMs, factor: FACTOR };
  return learnedThreshold(learned, PAUSE, bounds).ms / priorMs;
}

/** The longest usual pause; null if it is not known yet. */
export const usualPauseMs = ({ learned }: PausesState): number | null => usualGap(learned, PAUSE);

export const pauseHabits = ({ learned }: PausesState): Habit[] => habitsOf(learned);

export const takePauseHabits = ({ learned }: PausesState, habits: readonly Habit[]): void =>
  takeHabits(
    learned,
    habits.filter(({ class: kind }) => kind === PAUSE.class),
  );
