/**
 * Activity confidence: is the agent active, with what confidence, and why? The hardened activity detector of the agent
 * resume system, as one pure function over rouse's own signals. It guards every resume.
 *
 *   1. every signal of the ten sources is kept (the newest few of each), except noise;
 *   2. signals within the window of their tier give the confidence, by the best tier with a signal;
 *   3. the age of the newest activity lowers it;
 *   4. validation: consistent in time, recent, and at least one signal of tier 1 or 2 within its window.
 *
 * The original fails open: a detector without sensor data permits the resume. This one returns `known: false` instead.
 */

import type { SleepSpans } from "../awake.js";
import { awakeMs, takeAsleep } from "../awake.js";
import type { Settings } from "../defaults.js";
import { settingOf } from "../defaults.js";
import type { ScreenReading, Signal } from "../signal.js";
import { formatDuration } from "../text/duration.js";
import { HOUR, MINUTE, SECOND } from "../text/time.js";
import { type PendingAnswer, takeAnswer } from "./activity-answer.js";
import type { ActivitySource, Reliability } from "./activity-sources.js";
import { ACTIVITY_SOURCES, activitySourceOf } from "./activity-sources.js";
import { holdsOneOf, isNoise } from "./noise.js";
import {
  createPauses,
  endPause,
  type PausesState,
  paceOf,
  takePauseHabits,
  takeWaits,
  usualPauseMs,
} from "./pauses.js";

export interface ActivitySignal {
  source: ActivitySource;
  at: number;
  confidence: number;
  /** The text of the signal, if any. The noise filter reads it. */
  text?: string;
}

export interface ActivityAssessment {
  is_active: boolean;
  confidence: number;
  /** Milliseconds since 1970; null when no activity is on record. */
  last_activity: number | null;
  /** Awake minutes since then. */
  inactivity_minutes: number | null;
  /** Newest first. */
  signals: ActivitySignal[];
  validation_passed: boolean;
  reasons: string[];
  /** How far back the assessment goes: the setting, or longer for an agent that works in bursts. */
  lookback_minutes: number;
  /** The longest pause in its work that is usual for the agent; null if it is not known. */
  usual_pause_minutes: number | null;
  /** False when there is no sensor data: then missing activity proves nothing. */
  known: boolean;
}

export interface ActivityState {
  recent: Map<ActivitySource, ActivitySignal[]>;
  /** When a sensor first and last saw the session. */
  checkedFrom: number | null;
  checkedAt: number | null;
  screen: Pick<ScreenReading, "reply" | "tokens"> | null;
  answer: PendingAnswer | null;
  asleep: SleepSpans;
  pauses: PausesState;
}

export interface ActivityOptions extends Settings {
  /** When a sensor last saw the session, if the caller knows better than the signals. */
  checkedAt?: number;
  /** Noise patterns of the user, in addition to the built-in ones. */
  noise_patterns?: readonly string[];
  /** The agent's own pauses, if the caller has only a part of its signals. */
  pauses?: PausesState;
}

/** Two are enough for "several"; a few more help users who read the output. */
const KEPT_PER_SOURCE = 4;
const TEXT_MAX = 200;
/** Clocks of two programs on one machine differ by less than this. */
const FUTURE_MS: number = MINUTE;

const WINDOWS = { 1: "tier1_window_seconds", 2: "tier2_window_seconds", 3: "tier3_window_seconds" } as const;
const TIER_CONFIDENCE = { 1: { one: 0.7, several: 0.9 }, 2: { one: 0.5, several: 0.7 }, 3: { one: 0.3, several: 0.3 } };
const TIERS = [1, 2, 3] as const;

export function createActivity(): ActivityState {
  return {
    recent: new Map(),
    checkedFrom: null,
    checkedAt: null,
    screen: null,
    answer: null,
    asleep: [],
    pauses: createPauses(),
  };
}

export function takeActivity(state: ActivityState, signal: Signal, settings?: Settings): void {
  if (!Number.isFinite(signal.at)) return;
  if (signal.kind === "habits") takePauseHabits(state.pauses, signal.habits);
  takeSigns(state, signal, settings);
  takeWaits(state.pauses, signal);
}

function takeSigns(state: ActivityState, signal: Signal, settings?: Settings): void {
  takeAsleep(state.asleep, signal);
  if (showsACheck(signal)) {
    state.checkedFrom = Math.min(state.checkedFrom ?? signal.at, signal.at);
    state.checkedAt = Math.max(state.checkedAt ?? signal.at, signal.at);
  }
  if (signal.kind === "screen" && !screenChanged(state, signal.reading)) return;
  if (state.answer === null && signal.kind !== "message") {
    keepActivity(state, signal, settings);
    return;
  }
  const { answer, counts } = takeAnswer(state.answer, signal);
  state.answer = answer;
  for (const one of counts) keepActivity(state, one, settings);
}

function keepActivity(state: ActivityState, signal: Signal, settings?: Settings): void {
  const source = activitySourceOf(signal);
  const text = wordsOf(signal);
  if (source === null || isNoise(text)) return;
  const found: ActivitySignal = { source, at: signal.at, confidence: ACTIVITY_SOURCES[source].confidence };
  if (text !== undefined) found.text = text;
  keep(state.recent, found);
  if (tierOf(found) < 3) endPause(state.pauses, found.at, state.asleep, settings);
}

/** Signals further apart than this do not describe one moment. */
const CONSISTENT_MS = 24 * HOUR;

export function assessActivity(
  activity: ActivityState | readonly ActivitySignal[],
  now: number,
  options?: ActivityOptions,
): ActivityAssessment {
  const asleep = "recent" in activity ? activity.asleep : [];
  const age = (at: number): number => awakeMs(asleep, at, now);
  const pauses = "recent" in activity ? activity.pauses : options?.pauses;
  const pace = pauses ? paceOf(pauses, options) : 1;
  const lookbackMs = settingOf(options, "lookback_minutes") * MINUTE * pace;
  const usualMs = pauses ? usualPauseMs(pauses) : null;

  const candidates =
    "recent" in activity
      ? [...activity.recent.values()].flat().filter((signal) => now - signal.at <= CONSISTENT_MS)
      : activity.filter((signal) => Number.isFinite(signal.at) && !isNoise(signal.text));
  const signals = candidates.filter(({ text }) => !holdsOneOf(options?.noise_patterns, text)).sort(newestFirst);
  const newest = signals[0];
  const oldest = signals[signals.length - 1];

  const consistent =
    newest === undefined || oldest === undefined
      ? true
      : newest.at - oldest.at <= CONSISTENT_MS && newest.at <= now + FUTURE_MS;
  const blindness = whyBlind(activity, newest, consistent, lookbackMs, options, age);
  const inactiveMs = newest ? age(newest.at) : null;
  const result: ActivityAssessment = {
    is_active: false,
    confidence: 0,
    last_activity: newest?.at ?? null,
    inactivity_minutes: inactiveMs === null ? null : inactiveMs / MINUTE,
    signals,
    validation_passed: false,
    reasons: [],
    lookback_minutes: lookbackMs / MINUTE,
    usual_pause_minutes: usualMs === null ? null : usualMs / MINUTE,
    known: blindness === null,
  };
  if (blindness !== null) return { ...result, reasons: [blindness] };
  if (newest === undefined || inactiveMs === null) return { ...result, reasons: ["no activity signals detected"] };

  const inWindow = signals.filter(
    (signal) => age(signal.at) <= settingOf(options, WINDOWS[tierOf(signal)]) * SECOND * pace,
  );
  const { confidence, reasons } = confidenceOf(inWindow.length > 0 ? inWindow : signals, inactiveMs, pace);
  const recent = inactiveMs <= lookbackMs;
  const reliable = inWindow.some((signal) => tierOf(signal) < 3);
  if (!recent) reasons.push(`no activity within the last ${formatDuration(lookbackMs)}`);
  if (!reliable) reasons.push("no recent strong or medium sign of activity");
  if (pace > 1 && usualMs !== null) reasons.push(burstsText(usualMs, lookbackMs));
  const validation_passed = recent && reliable;
  return {
    ...result,
    is_active: validation_passed && confidence >= settingOf(options, "min_confidence_threshold"),
    confidence,
    validation_passed,
    reasons,
  };
}

const burstsText = (usualMs: number, lookbackMs: number): string =>
  `works in bursts: pauses of up to ${formatDuration(usualMs)} are usual, so the last ${formatDuration(lookbackMs)} count`;

const STRENGTH = { 1: "strong", 2: "medium", 3: "weak" } as const;

/** How confidence falls with the age of the newest activity, oldest first. */
const AGEING = [
  { minutes: 60, factor: 0.7 },
  { minutes: 30, factor: 0.85 },
];

function confidenceOf(
  signals: readonly ActivitySignal[],
  inactiveMs: number,
  pace: number,
): { confidence: number; reasons: string[] } {
  const tier = TIERS.find((candidate) => signals.some((signal) => tierOf(signal) === candidate)) ?? 3;
  const ofTier = signals.filter((signal) => tierOf(signal) === tier);
  const several = ofTier.length > 1;
  const base = TIER_CONFIDENCE[tier][several ? "several" : "one"];
  const sources = [...new Set(ofTier.map(({ source }) => ACTIVITY_SOURCES[source]?.wording ?? source))].join(", ");
  const reasons = [`${ofTier.length} ${STRENGTH[tier]} ${several ? "signs" : "sign"} of activity (${sources})`];
  const aged = AGEING.find(({ minutes }) => inactiveMs > minutes * MINUTE * pace);
  if (aged) reasons.push(`activity is older than ${Math.round(aged.minutes * pace)} min`);
  return { confidence: base * (aged?.factor ?? 1), reasons };
}

/** Why activity cannot be determined, or null if it can. */
function whyBlind(
  activity: ActivityState | readonly ActivitySignal[],
  newest: ActivitySignal | undefined,
  consistent: boolean,
  lookbackMs: number,
  options: ActivityOptions | undefined,
  age: (at: number) => number,
): string | null {
  const checkedAt = options?.checkedAt ?? ("recent" in activity ? activity.checkedAt : (newest?.at ?? null));
  if (checkedAt === null) return "unknown: no sensor data";
  if (!consistent) return "unknown: signal times contradict each other";
  if ("recent" in activity && age(checkedAt) > lookbackMs) return "unknown: no recent sensor data";
  if ("recent" in activity && !newest && age(activity.checkedFrom ?? checkedAt) < lookbackMs) {
    return `too early to tell: watched for less than ${formatDuration(lookbackMs)}`;
  }
  return null;
}

function tierOf(signal: ActivitySignal): 1 | 2 | 3 {
  const reliability: Reliability | undefined = ACTIVITY_SOURCES[signal.source];
  return reliability?.tier ?? 3;
}

/** A total order, so that the kept signals do not depend on the order of arrival. */
function newestFirst(a: ActivitySignal, b: ActivitySignal): number {
  if (a.at !== b.at) return b.at - a.at;
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  const [left, right] = [a.text ?? "", b.text ?? ""];
  return left === right ? 0 : left < right ? -1 : 1;
}

function keep(recent: ActivityState["recent"], found: ActivitySignal): void {
  const kept = recent.get(found.source);
  if (kept === undefined) {
    recent.set(found.source, [found]);
    return;
  }
  let place = 0;
  while (place < kept.length && newestFirst(kept[place] as ActivitySignal, found) < 0) place += 1;
  const next = kept[place];
  if (next !== undefined && newestFirst(next, found) === 0) return;
  if (place >= KEPT_PER_SOURCE) return;
  kept.splice(place, 0, found);
  if (kept.length > KEPT_PER_SOURCE) kept.pop();
}

/** Keys and rouse's own notes do not show whether the session is visible. A failed probe shows that it is not. */
function showsACheck(signal: Signal): boolean {
  if (signal.source === "human" || signal.source === "observer") return false;
  return !(signal.kind === "process" && signal.alive === null);
}

/** The first screen is a baseline, not a change. */
function screenChanged(state: ActivityState, reading: ScreenReading): boolean {
  const before = state.screen;
  state.screen = { reply: reading.reply };
  if (reading.tokens !== undefined) state.screen.tokens = reading.tokens;
  return before !== null && (before.reply !== reading.reply || before.tokens !== state.screen.tokens);
}

/**
 * Only spoken text can be an acknowledgement or a recovery prompt. Paths, commits and commands are not checked: a
 * commit that fixes a "resumer" is work.
 */
function wordsOf(signal: Signal): string | undefined {
  const words = signal.kind === "message" ? signal.preview : "text" in signal ? signal.text : undefined;
  return typeof words === "string" && words !== "" ? words.slice(0, TEXT_MAX) : undefined;
}
