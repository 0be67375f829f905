/**
 * Silence of a program of which nothing is known but that it moved and stopped: no mark of a turn, no prompt that could
 * be read. It is told after the idle timeout, whatever the reason.
 *
 * It is acted on only where the user said the timeout: a program that is done and one that hangs look alike here, and a
 * default must not end the first. Even then two kinds of evidence have to agree, for the whole time: nothing was written,
 * and the process was looked at and did nothing. A person who asks may end it before, with the screen as the other witness.
 */

import { settingOf } from "../../defaults.js";
import { formatAgo, formatDuration, formatFor } from "../../text/duration.js";
import { MINUTE, SECOND } from "../../text/time.js";
import { distinctKinds, nothingBegun } from "../evidence/kinds.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";

/** Output is told every five seconds, at a look: a command that was announced by it may have begun a little before. */
const BEGUN_MS = 10 * SECOND;

const UNSAID = "an unknown program is only reported unless you set health.idle_timeout_minutes in your configuration";

/**
 * It says that it works, although its turn is over or none was seen: believed until the next evidence, and not for ever,
 * since its own word proves nothing.
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

/** Null where its silence is not strange: something can be typed into it, or nothing was ever seen of it. */
export function byQuiet(question: RuleInput): RuleVerdict | null {
  const { evidence, since, dueAfter, settings } = question;
  const { reading, outputAt } = evidence.progress;
  if (reading?.composer !== "hidden" || outputAt === null) return null;
  // What people called false alarms makes it more patient, and never less than was set.
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
      `Its process has been idle for ${formatDuration(since(still))} (process), longer than you allow`,
    ],
    act: true,
  };
}

/** Since when there was no sign of life at all: none of the witnesses, no time of the processor, nothing in its folder. */
function stillSince({ progress, activity, report, humanAt }: Evidence, outputAt: number): number {
  const done = [...activity.recent.values()].flat().map(({ at }) => at);
  const seen = Object.values(progress.seen);
  return Math.max(outputAt, progress.cpuMovedAt ?? 0, report?.at ?? 0, humanAt ?? 0, ...seen, ...done);
}
