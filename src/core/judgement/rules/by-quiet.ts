/**
 * Silence of a program that shows no known sign of a turn and no readable prompt: it produced output and stopped.
 * Reported after the idle timeout, or after the number of polls that the user set. A child process that computes, reads
 * or writes explains the silence; a sleeping one does not.
 *
 * A finished program and a hung one are indistinguishable here. A program that only prints has nothing to lose by its
 * end and is ended after the timeout; one that draws a screen or takes input only if the user set the timeout. Two kinds
 * of evidence must agree for the whole time: no output, and a process that was checked and idle. A user may end it
 * earlier, with the screen as the other evidence.
 */

import { DEFAULTS, settingOf } from "../../defaults.js";
import { formatAgo, formatDuration, formatFor } from "../../text/duration.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { distinctKinds, processSeen } from "../evidence/kinds.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { isPlainProgram } from "./plain-program.js";

const UNSAID =
  "an unknown program with a screen of its own is only reported unless you set health.idle_timeout_minutes";
/** Processes are checked every ten seconds: activity within this time is going on. */
const RECENT_MS = MINUTE;

/**
 * The agent reports working although its turn is over or none was seen. Believed until the next evidence, but only for
 * a limited time: a self-report proves nothing.
 */
export function byReportedWork({
  evidence: { report, turn },
  since,
  dueAfter,
  settings,
}: RuleInput): RuleVerdict | null {
  if (report?.state !== "working" || report.at <= (turn.endedAt ?? 0)) return null;
  const patienceMs = settingOf(settings, "idle_timeout_minutes") * MINUTE;
  if (since(report.at) >= patienceMs) return null;
  dueAfter(report.at, patienceMs);
  const text = report.text ? `: ${report.text}` : "";
  const before = turn.endedAt === null ? "The" : "The turn ended, but the";
  const reasons = [`${before} agent reported working ${formatAgo(since(report.at))} (report)${text}`];
  return { state: "working", cause: null, confidence: 0.5, reasons };
}

/** A user who set the number of polls for an unchanged screen has set the clock. */
export function polledMs({ evidence, settings }: RuleInput): number | null {
  const polls = settings.own?.stuck_threshold_intervals;
  if (polls === undefined || evidence.progress.reading === null) return null;
  return polls * settingOf(settings, "poll_interval_secs") * SECOND;
}

/** False alarms marked by users lengthen the timeout and never shorten it. */
const patienceOf = ({ settings }: RuleInput): number => Math.max(1, settingOf(settings, "silence_patience"));

/** Null if its silence is not unusual: it accepts input, or it has never shown anything. */
export function byQuiet(question: RuleInput): RuleVerdict | null {
  const { evidence, since, dueAfter, settings } = question;
  const { reading, outputAt } = evidence.progress;
  if (reading?.composer !== "hidden" || outputAt === null) return null;
  const polled = polledMs(question);
  const explained = polled === null ? childWork(question) : null;
  const timeoutMs = polled ?? settingOf(settings, "idle_timeout_minutes") * MINUTE * patienceOf(question);
  const from = polled === null ? Math.max(outputAt, evidence.progress.childWorkedAt ?? 0) : outputAt;
  dueAfter(from, timeoutMs);
  const silent = `No output ${formatFor(since(outputAt))} (screen), and nothing on the screen explains it`;
  if (explained && since(from) < timeoutMs) {
    const reasons = [`No output ${formatFor(since(outputAt))} (screen), but ${explained}`];
    return { state: "working", cause: null, confidence: 0.5, reasons };
  }
  const reasons = [silent];
  if (since(from) < timeoutMs && evidence.turn.readyAt !== null) {
    const ready = `Its prompt was seen ${formatAgo(since(evidence.turn.readyAt))} (screen) and has not come back`;
    return { state: "working", cause: null, confidence: 0.4, reasons: [...reasons, ready] };
  }
  if (since(from) < timeoutMs) return { state: "idle", cause: null, confidence: 0.4, reasons };
  const { reasons: more = [], ...ending } = endingOf(question);
  const confidence = ending.act ? 0.7 : 0.4;
  return { state: "stuck", cause: "silent_stream", confidence, ...ending, reasons: [...reasons, ...more] };
}

/** What a child process does at present; null if it does nothing. */
export function childWork({ evidence: { progress }, since, dueAfter }: RuleInput): string | null {
  const { childWorkedAt } = progress;
  if (childWorkedAt === null || since(childWorkedAt) >= RECENT_MS) return null;
  dueAfter(childWorkedAt, RECENT_MS);
  return `a child process is using CPU or I/O, last seen ${formatAgo(since(childWorkedAt))} (process)`;
}

type Ending = Pick<RuleVerdict, "act" | "kinds" | "onlyReported"> & { reasons?: string[] };

/** Whether a silent program may be ended: now, later, or by the user only. */
export function endingOf(question: RuleInput): Ending {
  const { evidence, since, dueAfter, settings } = question;
  const { progress } = evidence;
  const kinds = distinctKinds(["screen", processSeen(evidence)]);
  const own = settings.own?.idle_timeout_minutes;
  const { reading } = progress;
  const isPrinter = (reading === null || reading.prints === true) && isPlainProgram(evidence);
  if (own === undefined && !isPrinter)
    return {
      kinds,
      reasons: ["Only reported, because health.idle_timeout_minutes is not set"],
      onlyReported: UNSAID,
    };
  const { caret, prints } = reading ?? {};
  if (caret === "question" || caret === "sign" || (caret === "text" && !prints))
    return { kinds, onlyReported: "its cursor may be waiting for input" };
  const still = stillSince(evidence);
  const actMs = (own ?? DEFAULTS.idle_timeout_minutes) * MINUTE * patienceOf(question);
  dueAfter(still, actMs);
  if (progress.cpuMovedAt !== null && since(progress.cpuMovedAt) < RECENT_MS)
    return { kinds, onlyReported: "its process is using CPU time" };
  if (kinds.length < 2 || since(still) < actMs) return { kinds };
  return {
    kinds,
    act: true,
    reasons: [
      `Its process has been idle for ${formatDuration(since(still))} (process), longer than health.idle_timeout_minutes`,
    ],
  };
}

/** Since when there is no sign of activity: no output, no progress source, no CPU time, no change in its folder. */
function stillSince({ progress, activity, report, humanAt, first }: Evidence): number {
  // Any program may read a file of its folder.
  const done = [...activity.recent.values()].flat().filter(({ source }) => source !== "workspace_access");
  const { outputAt, cpuMovedAt, childWorkedAt, seen } = progress;
  const own = [outputAt, cpuMovedAt, childWorkedAt, report?.at, humanAt, first?.at, ...Object.values(seen)];
  return Math.max(...own.map((at) => at ?? 0), ...done.map(({ at }) => at));
}
