/**
 * The clocks: how long each kind of waiting may last before it is told. Every wait has a ceiling, so that none hides
 * a hang for ever. Where a number was measured, the measurement is named; the rest is judgement.
 */
import type { ToolClass } from "../signal.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

interface ToolClock {
  /** Silent for so long, it is told. */
  reportMs: number;
  /** What it is called then. */
  cause: "tool_hang" | "waiting_on_stdin";
}

/**
 * Open tools. Real transcripts (67,099 operations of Claude Code): shell p99.9 181 s under bypass, 958 s at most;
 * tests up to 1,348 s; sleeps up to 11,052 s; subagents p99 4,396 s. No fixed limit fits, so the ceilings are late and
 * a declared time-out or a learned threshold comes first.
 */
export const TOOL_CLOCKS: Readonly<Record<ToolClass, ToolClock>> = {
  instant: { reportMs: 5 * MINUTE, cause: "tool_hang" },
  edit: { reportMs: 5 * MINUTE, cause: "tool_hang" },
  shell: { reportMs: 30 * MINUTE, cause: "tool_hang" },
  test: { reportMs: 40 * MINUTE, cause: "tool_hang" },
  build: { reportMs: 40 * MINUTE, cause: "tool_hang" },
  sleep: { reportMs: 240 * MINUTE, cause: "tool_hang" },
  endless: { reportMs: 100 * SECOND, cause: "tool_hang" },
  interactive: { reportMs: 60 * SECOND, cause: "waiting_on_stdin" },
  web: { reportMs: 15 * MINUTE, cause: "tool_hang" },
  mcp: { reportMs: 20 * MINUTE, cause: "tool_hang" },
  subagent: { reportMs: 120 * MINUTE, cause: "tool_hang" },
  background: { reportMs: 60 * MINUTE, cause: "tool_hang" },
  question: { reportMs: Number.POSITIVE_INFINITY, cause: "tool_hang" },
  plan: { reportMs: Number.POSITIVE_INFINITY, cause: "tool_hang" },
  other: { reportMs: 30 * MINUTE, cause: "tool_hang" },
};

/**
 * A tool that only a transcript tells of may wait for a human who is asked first: `git push` was open for 40 minutes, a
 * compile for a week. Nothing but a late inquiry is justified then.
 */
export const UNSEEN_PATIENCE: number = 4;

/** A declared time-out is exceeded by so much before it is told. */
export const DECLARED_SLACK: number = 1.2;
export const DECLARED_SLACK_MS: number = 60 * SECOND;

/**
 * An instant tool open for so long, in a session that asks for permissions and whose screen cannot be seen, waits for
 * a human: 30.2 s is its p99 with the human's answer inside, 3.5 s without.
 */
export const APPROVAL_AFTER_MS: number = 30 * SECOND;

/**
 * A turn without news, by its best witness. Healthy silence on the screen reaches 80 s (first byte after 75 s); an
 * event stream is as good. Transcripts write a reply only when its block is complete: 600 s is Claude Code's own
 * request time-out, and silences of 300 s ended by themselves in 42 of 57 cases.
 */
export interface FreezeClock {
  /** What one witness alone is worth, and what all wanted ones together bring it down to. */
  baseMs: number;
  floorMs: number;
  wanted: number;
}

export const FREEZE: Readonly<Record<"screen" | "stream" | "transcript" | "silentRetry", FreezeClock>> = {
  screen: { baseMs: 110 * SECOND, floorMs: 90 * SECOND, wanted: 4 },
  stream: { baseMs: 105 * SECOND, floorMs: 90 * SECOND, wanted: 3 },
  transcript: { baseMs: 15 * MINUTE, floorMs: 12 * MINUTE, wanted: 3 },
  /** Nothing of the reply is shown yet, and the program retries without a word. */
  silentRetry: { baseMs: 5 * MINUTE, floorMs: 4 * MINUTE, wanted: 3 },
};

/** A silent stream is acted on after the program's own time-out, never before: Claude Code and Codex cut it at 300 s. */
export const ACT_AFTER_MS: number = 330 * SECOND;
export const ACT_MARGIN: number = 1.1;
/** A loop is acted on near the 20th equal round: the one detector without false alarms waits as long. */
export const ACT_ROUNDS: number = 20;
/** An overdue tool is acted on when it has taken so many times what it may, and burnt tokens when they are so many times as many. */
export const ACT_FACTOR: number = 2;

/** Compaction: 113 s typical, 836 s the longest of 55. */
export const COMPACTION_REPORT_MS: number = 15 * MINUTE;

/** Neither bytes nor any other sign while the program says that it works: the program itself is frozen. */
export const FROZEN_AFTER_MS: number = 60 * SECOND;

/**
 * A turn's end is believed when the title stayed quiet for so long; by motion alone, much later. Its record is written 0.4 s
 * after the end, 1.9 s at most, and says what the end was: a result, a question, a limit. A program or a title that only
 * says that it failed, or that somebody is asked, is given the two looks in which its screen says why. A record of a turn
 * that begins comes before the flags: by 7 s where Claude Code started on two cores with a load of 50.
 */
export const SETTLE_MS: Readonly<
  Record<"title" | "record" | "begun" | "reason" | "stale" | "unmarked" | "motion", number>
> = {
  title: 400,
  record: 2000,
  begun: 20_000,
  reason: 1600,
  stale: 3000,
  unmarked: 10_000,
  motion: 20_000,
};

/**
 * A turn that ended with a promise is told when it stays so (`stopped_early_seconds`). An end that was only read out of a last message may be the
 * pause before the next call: the longest such pause of one message in 10,387 was 537 s, 124 s at p99.9.
 */
export const STOPPED_PRESUMED_AFTER_MS: number = 10 * MINUTE;

/** A used-up window and then silence: the limit, although no record says so (Codex writes none). */
export const FULL_WINDOW_SILENCE_MS: number = 3 * MINUTE;

/** An open tool is a wait worth naming from here on; before it is simply work. */
export const WAIT_NAMED_AFTER_MS: number = 10 * SECOND;
