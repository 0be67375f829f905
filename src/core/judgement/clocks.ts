/**
 * The clocks: how long each kind of wait may last before it is reported. Every wait has a ceiling, so that none hides a
 * hang forever. Measured figures name their measurement; the rest are estimates.
 */
import type { ToolClass } from "../signal.js";
import type { ThresholdBounds } from "./learned.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

interface ToolClock {
  /** Reported after this much silence. */
  reportMs: number;
  /** The cause it is reported with. */
  cause: "tool_hang" | "waiting_on_stdin";
}

/**
 * Open tools. Real transcripts (67,099 operations): shell p99.9 181 s under bypass, 958 s at most; tests
 * up to 1,348 s; sleeps up to 11,052 s; subagents p99 4,396 s. No fixed limit fits, so the ceilings are late and a
 * declared time-out or a learned threshold applies first.
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
 * A tool known only from a transcript may be waiting for approval by a human: `git push` was open for 40 minutes, a
 * compile for a week. Only a late inquiry is justified then.
 */
export const UNSEEN_PATIENCE: number = 4;

/** A declared time-out must be exceeded by this much before it is reported. */
export const DECLARED_SLACK: number = 1.2;
export const DECLARED_SLACK_MS: number = 60 * SECOND;

/**
 * An instant tool that is open for this long waits for a human, if the session asks for permissions and its screen
 * cannot be seen: p99 is 30.2 s including the human's answer, 3.5 s without.
 */
export const APPROVAL_AFTER_MS: number = 30 * SECOND;
/**
 * The same for a call that asks for more permissions itself: a rule of the user may grant them at once, and a test or a
 * build then runs for a while, which is given the time of an instant tool.
 */
export const ASKING_AFTER_MS: number = 10 * SECOND;
/**
 * A call that its program would have ended by now has not started: in 2,200 calls of one program and 757 of another all
 * that exceeded the program's limit by more than this had waited for a human, or for a parallel call that did.
 */
export const OVERRUN_AFTER_MS: number = 60 * SECOND;
/** A reply whose first call is known may take this long to be written: a long file in a second call, for example. */
export const REPLY_WRITTEN_MS: number = 5 * MINUTE;

/**
 * A turn without activity, by its best source. Healthy silence on the screen reaches 80 s (first byte after 75 s); an
 * event stream is as good. A transcript gets a reply only when its block is complete: 42 of 57 silences of 300 s ended by
 * themselves, the longest healthy one took 540 s, and 600 s is the longest request time-out of a program.
 */
export interface FreezeClock {
  /** The wait with a single source, and the wait with all `wanted` sources. */
  baseMs: number;
  floorMs: number;
  wanted: number;
}

type FreezeName = "screen" | "stream" | "transcript" | "unanswered" | "silentRetry" | "subagent" | "subagentTranscript";

export const FREEZE: Readonly<Record<FreezeName, FreezeClock>> = {
  screen: { baseMs: 110 * SECOND, floorMs: 90 * SECOND, wanted: 4 },
  stream: { baseMs: 105 * SECOND, floorMs: 90 * SECOND, wanted: 3 },
  transcript: { baseMs: 10 * MINUTE, floorMs: 9 * MINUTE, wanted: 3 },
  /** A transcript in which nothing follows a prompt. */
  unanswered: { baseMs: 5 * MINUTE, floorMs: 4 * MINUTE, wanted: 3 },
  /** No part of the reply is visible yet, and the program retries silently. */
  silentRetry: { baseMs: 5 * MINUTE, floorMs: 4 * MINUTE, wanted: 3 },
  /** A subagent shows its calls, and no text while it writes: its report may take longer than a silence of its parent. */
  subagent: { baseMs: 120 * SECOND, floorMs: 105 * SECOND, wanted: 4 },
  /** Some releases write the calls of a subagent into no file: healthy ones were silent for 11 and 15 minutes. */
  subagentTranscript: { baseMs: 15 * MINUTE, floorMs: 12 * MINUTE, wanted: 3 },
};

/** A silence after a prompt may be a long first thought: nothing is done about it before. */
export const FIRST_THOUGHT_MS: number = 12 * MINUTE;

/**
 * Thinking without visible text, while the connection is kept alive. An agent whose replies usually take long is given
 * more time, up to the ceiling.
 */
export const THINKING: Readonly<ThresholdBounds> = {
  priorMs: 5 * MINUTE,
  floorMs: 5 * MINUTE,
  ceilingMs: 15 * MINUTE,
};
/** Programs of providers send a keep-alive every 5 to 30 s. The connection is alive after two of them, for this long. */
export const KEPT_ALIVE_MS: number = 45 * SECOND;
export const KEPT_ALIVE_TIMES: number = 2;

/** A silent stream is acted on only after the program's own time-out, 300 s in those that have one. */
export const ACT_AFTER_MS: number = 330 * SECOND;
export const ACT_MARGIN: number = 1.1;
/** A loop is acted on near the 20th equal round: the one detector without false alarms waits as long. */
export const ACT_ROUNDS: number = 20;
/** An overdue tool is acted on at this multiple of its limit, burnt tokens at this multiple of their threshold. */
export const ACT_FACTOR: number = 2;

/** Compaction: 113 s typical, 836 s the longest of 55. */
export const COMPACTION_REPORT_MS: number = 15 * MINUTE;

/** The program shows as busy but sends no bytes and no other sign: the program itself is frozen. */
export const FROZEN_AFTER_MS: number = 60 * SECOND;

/**
 * The end of a turn is believed when the title has been quiet for this long; by motion alone, much later. The record is
 * written 0.4 s after the end, 1.9 s at most, and names the kind of end: a result, a question, a limit. If a program or
 * title only reports a failure or a prompt, two checks of the screen may supply the reason. The record of a turn that
 * starts can precede the flags: by 7 s on two cores with a load of 50.
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
 * A turn that ended with a promise is reported if it stays ended (`stopped_early_seconds`). An end that was only
 * inferred from a last message may be the pause before the next call: the longest such pause in 10,387 was 537 s, 124 s
 * at p99.9.
 */
export const STOPPED_PRESUMED_AFTER_MS: number = 10 * MINUTE;

/** A used-up window followed by silence is the limit, even without a record: some programs write none. */
export const FULL_WINDOW_SILENCE_MS: number = 3 * MINUTE;

/**
 * A command has asked on the terminal if the last row of its output stays the same for this long: a question that
 * nothing else is written like, one that a log may contain, and a process that reads from its terminal.
 */
export const ASKED_AFTER_MS: Readonly<Record<"sure" | "likely" | "reads", number>> = {
  sure: 3 * SECOND,
  likely: 15 * SECOND,
  reads: 15 * SECOND,
};

/**
 * A state that lasts less than this leaves no message: it may be the moment between two records. Of 2,238 wrong
 * completions in old transcripts 85 % were shorter.
 */
export const LASTING_MS: number = 5 * SECOND;

/**
 * A program without a profile that prints nothing while its connection brings nothing: healthy silence on a screen
 * reaches 80 s, and a reply that is not streamed takes longer than its first byte.
 */
export const CONNECTION_QUIET_MS: number = 150 * SECOND;

/** From here on an open tool is shown as a wait; before, as work. */
export const WAIT_NAMED_AFTER_MS: number = 10 * SECOND;
