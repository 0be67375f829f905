/**
 * Silence of a program that shows no known sign of a turn and no readable prompt: it produced output and stopped.
 * Reported after the idle timeout, whatever the reason.
 *
 * It is acted on only if the user set the timeout: a finished program and a hung one are indistinguishable here, and a
 * default must not end the finished one. Even then two kinds of evidence must agree for the whole time: no output, and
 * a process that was checked and idle. A user may end it earlier, with the screen as the other evidence.
 */

import { settingOf } from "../../defaults.js";
import { formatAgo, formatDuration, formatFor } from "../../text/duration.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { distinctKinds, nothingBegun } from "../evidence/kinds.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** Output is reported every five seconds, so the command that caused it may have started slightly earlier. */
const BEGUN_MS = 10 * SECOND;

const UNSAID = "an unknown program is only reported unless you set health.idle_timeout_minutes in your configuration";

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

/** Null if its silence is not unusual: it accepts input, or it has never shown anything. */
export function byQuiet(question: RuleInput): RuleVerdict | null {
  const { evidence, since, dueAfter, settings } = question;
  const { reading, outputAt } = evidence.progress;
  if (reading?.composer !== "hidden" || outputAt === null) return null;
  // False alarms marked by users lengthen the timeout and never shorten it.
  const patience = Math.max(1, settingOf(settings, "silence_patience"));
  const timeoutMs = settingOf(settings, "idle_timeout_minutes") * MINUTE * patience;
  dueAfter(outputAt, timeoutMs);
  const own = settings.own?.idle_timeout_minutes;
  const silent = `No output ${formatFor(since(outputAt))} (screen), and nothing on the screen explains it`;
  const reasons = [silent];
  if (since(outputAt) < timeoutMs && evidence.turn.readyAt !== null) {
    const ready = `Its prompt was seen ${formatAgo(since(evidence.turn.readyAt))} (screen) and has not come back`;
    return { state: "working", cause: null, confidence: 0.4, reasons: [...reasons, ready] };
  }
  if (since(outputAt) < timeoutMs) return { state: "idle", cause: null, confidence: 0.4, reasons };
  const agreeing = distinctKinds(["screen", nothingBegun(evidence, outputAt - BEGUN_MS)]);
  const reported = { state: "stuck", cause: "silent_stream", confidence: 0.4, reasons, kinds: agreeing } as const;
  if (own === undefined)
    return {
      ...reported,
      reasons: [`${silent}; only reported, because health.idle_timeout_minutes is not set`],
      onlyReported: UNSAID,
    };
  if (reading.caret) return { ...reported, onlyReported: "its cursor may be waiting for input" };
  const still = stillSince(evidence, outputAt);
  const actMs = own * MINUTE * patience;
  dueAfter(still, actMs);
  if (agreeing.length < 2 || since(still) < actMs) return reported;
  return {
    ...reported,
    confidence: 0.7,
    reasons: [
      ...reasons,
      `Its process has been idle for ${formatDuration(since(still))} (process), longer than health.idle_timeout_minutes`,
    ],
    act: true,
  };
}

/** Since when there is no sign of activity: no progress source, no CPU time, no change in its folder. */
function stillSince({ progress, activity, report, humanAt }: Evidence, outputAt: number): number {
  // Any program may read a file of its folder.
  const done = [...activity.recent.values()].flat().filter(({ source }) => source !== "workspace_access");
  const seen = Object.values(progress.seen);
  return Math.max(
    outputAt,
    progress.cpuMovedAt ?? 0,
    report?.at ?? 0,
    humanAt ?? 0,
    ...seen,
    ...done.map(({ at }) => at),
  );
}
