import type { State } from "../../states.js";
import { formatAgo } from "../../text/duration.js";
import { LEAVING_MS } from "../evidence/leaving.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { byEnd, hasWorked } from "./by-end.js";
import { byFailure } from "./by-failure.js";
import { byPrompt } from "./by-prompt.js";
import { byReport } from "./by-report.js";
import { byRetry } from "./by-retry.js";

/**
 * The same where only a time is known: it may lie eight seconds before the last key, and the end of a process that is
 * not rouse's own is seen some ten seconds late.
 */
const TYPED_MS = 30_000;
/** Claude Code takes up to 4.5 s to leave after a SIGTERM, and writes its last lines meanwhile. */
const CUT_OFF_MS = 6000;

/** The process ended. A result survives it, a human's own quit and an ordered end say nothing, and only the rest is `gone`. */
export function byExit(question: RuleInput): RuleVerdict | null {
  const { exit, turn } = question.evidence;
  if (!exit) return null;
  const how =
    exit.signal !== null
      ? `signal ${exit.signal}`
      : exit.code !== null
        ? `exit code ${exit.code}`
        : "exit status unknown";
  const ended = asItEnded(question, exit.at);
  const result =
    final(byReport(ended)) ??
    byFailure(ended) ??
    final(byPrompt(ended)) ??
    final(byRetry(ended)) ??
    (finished(ended) ? byEnd(ended) : null);
  const isLeft = endedByHuman(question.evidence);
  if (result)
    return {
      ...(isLeft ? atRest(result) : result),
      reasons: [...result.reasons, `Then the process exited ${formatAgo(ended.since(exit.at))} (process), ${how}`],
    };
  if (isLeft) {
    return {
      state: "idle",
      cause: null,
      confidence: 0.8,
      reasons: [
        leftBy(question, ended.since, `the process exited ${formatAgo(ended.since(exit.at))} (process), ${how}`),
      ],
    };
  }
  // Gemini CLI leaves with 0 when it is told to go: a headless run that has finished has said so.
  if (exit.code === 0 && !turn.isStreaming) {
    const isDone = (hasWorked(question.evidence) || isPlainProgram(question.evidence)) && !hasFailed(question.evidence);
    const state = isDone ? "complete" : "idle";
    return {
      state,
      cause: null,
      confidence: 0.7,
      reasons: [`The process exited ${formatAgo(ended.since(exit.at))} (process), exit code 0`],
    };
  }
  const cause = exit.signal !== null ? "crash" : exit.code !== null ? "exit_code" : null;
  const left = ended.evidence.prompts.leftOpen;
  const when = left ? " while waiting for an answer" : turn.turns > 0 ? " in the middle of its work" : "";
  return {
    state: "gone",
    cause,
    confidence: 0.9,
    reasons: [`The process exited${when} ${formatAgo(ended.since(exit.at))} (process), ${how}`, ...lastWords(question)],
  };
}

const WORDS_MAX = 160;

/** Of a program that nobody knows, the row that it wrote last may say why it failed; nobody else has read it. */
function lastWords({ evidence, since }: RuleInput): string[] {
  const { reading, readingAt } = evidence.progress;
  const row = reading?.tail?.findLast((line) => line.trim() !== "");
  if (row === undefined || readingAt === null || !isPlainProgram(evidence)) return [];
  return [`Last output ${formatAgo(since(readingAt))} (screen): ${row.trim().slice(0, WORDS_MAX)}`];
}

/** Keys that leave a program, or only that somebody typed right before its end. */
function leftBy({ evidence: { exit, quitAt, quitBy } }: RuleInput, since: RuleInput["since"], ended: string): string {
  const at = quitAt ?? exit?.typedAt ?? 0;
  if (quitBy === "rouse") return `Stopped on request ${formatAgo(since(at))} (observer); ${ended}`;
  return `${quitAt === null ? "A user typed" : "Closed by a user"} ${formatAgo(since(at))} (human); ${ended}`;
}

/** A dialog and a wait die with the program; the result, the limit or the error that they tell of does not. */
const final = (verdict: RuleVerdict | null): RuleVerdict | null =>
  verdict && RESULTS.has(verdict.state) ? verdict : null;
const RESULTS: ReadonlySet<State> = new Set<State>(["complete", "error", "rate_limited"]);

/** Nobody knows it, and it has no place to type into: it was given its work when it was started, and 0 says that it is done. */
const isPlainProgram = ({ traits, turn }: Evidence): boolean =>
  traits.versions === null && turn.turns === 0 && turn.readyAt === null;

/** Whoever leaves a program has seen where it stands: nobody waits for it any more. */
function atRest({ state, cause, until, confidence, reasons }: RuleVerdict): RuleVerdict {
  return state === "stuck"
    ? { state: "complete", cause: null, confidence: 0.5, reasons }
    : { state, cause, confidence, reasons, ...(until === undefined ? {} : { until }) };
}

/** The question as it stood before the program began to go. */
function asItEnded(question: RuleInput, exitAt: number): RuleInput {
  const { evidence } = question;
  const { leaving, failures, progress } = evidence;
  if (leaving && endedByHuman(evidence)) return { ...question, active: false, evidence: { ...evidence, ...leaving } };
  // It may have painted its last screen without what had ended its work, or what it asked.
  const isLeave = (left: { at: number } | null): boolean => left !== null && exitAt - left.at <= CUT_OFF_MS;
  const stood: Partial<Evidence> = {};
  if (isLeave(failures.left)) stood.failures = { ...failures, ...failures.left };
  if (progress.left && isLeave(progress.left)) stood.progress = { ...progress, reading: progress.left.reading };
  return { ...question, active: false, evidence: { ...evidence, ...stood } };
}

type Ending = Pick<Evidence, "exit" | "quitAt" | "touchedAt" | "turn">;

/** Or by somebody's order, which is no less meant. */
export function endedByHuman(evidence: Ending): boolean {
  const { exit, quitAt } = evidence;
  if (!exit) return false;
  return (quitAt !== null && exit.at - quitAt < LEAVING_MS) || endedByKeys(evidence);
}

/**
 * Which keys went into a terminal that rouse does not hold is not seen, nor how its program ended; only when somebody
 * last typed. Whoever typed right before the end was there: unless it was rouse, or what was typed is the request that the
 * last turn began with, which may have been cut off.
 */
function endedByKeys({ exit, touchedAt, turn }: Ending): boolean {
  if (exit?.typedAt === undefined || exit.code !== null || exit.signal !== null) return false;
  const { typedAt } = exit;
  const isAfter = (at: number | null): boolean => at === null || typedAt > at;
  return exit.at - typedAt <= TYPED_MS && isAfter(touchedAt) && isAfter(turn.startedAt);
}

/** The last turn had ended before the process did, by the live view or by a record of it. */
function finished({ evidence }: RuleInput): boolean {
  if (evidence.prompts.leftOpen || hasFailed(evidence)) return false;
  const { endedAt, startedAt, record } = evidence.turn;
  if (endedAt !== null && endedAt >= (startedAt ?? 0) && outlived(evidence, endedAt)) return true;
  return record.endAt !== null && record.endAt >= (record.startAt ?? 0) && outlived(evidence, record.endAt);
}

/** By the program's own word; why, is no longer on the screen that it cleared. */
const hasFailed = ({ turn }: Evidence): boolean => turn.endedBy?.word === "failed";

/** A turn that ends together with a failing process was cut off by the same hand. */
function outlived({ exit, quitAt }: Evidence, endedAt: number): boolean {
  return exit?.code === 0 || endedAt < (quitAt ?? 0) || (exit?.at ?? 0) - endedAt > CUT_OFF_MS;
}
