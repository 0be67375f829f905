import type { State } from "../../states.js";
import { formatAgo } from "../../text/duration.js";
import { owesMarker } from "../evidence/completion.js";
import { LEAVING_MS } from "../evidence/leaving.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { withSupervisor } from "../supervisor.js";
import { byEnd, hasWorked } from "./by-end.js";
import { byFailure } from "./by-failure.js";
import { lastLine } from "./by-last-line.js";
import { byPrompt } from "./by-prompt.js";
import { byReport } from "./by-report.js";
import { byRetry } from "./by-retry.js";
import { isPlainProgram } from "./plain-program.js";

/**
 * The same when only a time is known: it may lie eight seconds before the last key, and the exit of a process that
 * rouse did not start is noticed some ten seconds late.
 */
const TYPED_MS = 30_000;
/** A stop kills the program after 10 s; a busy machine notices the exit late. */
const STOPPED_MS = 60_000;
/** Programs take up to 4.5 s to exit after a SIGTERM, and write their last lines meanwhile. */
const CUT_OFF_MS = 6000;

/**
 * The process ended. A result outlives it, an exit by the user or on request is no problem, a program that rouse did
 * not start is over when it ends outside a turn, and only the rest is `gone`. A program that rouse stopped has no
 * result either: its recovery plan goes on.
 */
export function byExit(question: RuleInput): RuleVerdict | null {
  const verdict = byExitAlone(question);
  return verdict && withSupervisor(question, verdict);
}

function byExitAlone(question: RuleInput): RuleVerdict | null {
  const { exit, turn } = question.evidence;
  if (!exit) return null;
  const how =
    exit.signal !== null
      ? `, signal ${exit.signal}`
      : exit.code !== null
        ? `, exit code ${exit.code}`
        : "; its exit status is not known";
  const ended = asItEnded(question, exit.at);
  const isLeft = endedByHuman(question.evidence);
  const result =
    final(byReport(ended)) ??
    byFailure(ended) ??
    final(byPrompt(ended)) ??
    final(byRetry(ended)) ??
    statedAtEnd(ended, exit.code, isLeft) ??
    (finished(ended) ? byEnd(ended) : null);
  if (result)
    return {
      ...(isLeft ? atRest(result) : result),
      reasons: [...result.reasons, `Then the process exited ${formatAgo(ended.since(exit.at))} (process)${how}`],
    };
  if (isLeft) {
    return {
      state: "idle",
      cause: null,
      confidence: 0.8,
      reasons: [leftBy(question, ended.since, `the process exited ${formatAgo(ended.since(exit.at))} (process)${how}`)],
    };
  }
  const stoppedAt = stoppedByRouse(question.evidence);
  if (stoppedAt !== null)
    return {
      state: "gone",
      cause: null,
      confidence: 0.9,
      reasons: [
        `Stopped by its recovery plan ${formatAgo(ended.since(stoppedAt))} (observer); the process exited ${formatAgo(ended.since(exit.at))} (process)${how}`,
      ],
    };
  // A program may exit with 0 on a request to stop. A finished headless run has reported its end.
  if (exit.code === 0 && !turn.isStreaming) {
    const { completion } = question.evidence;
    if (completion.marker !== null && owesMarker(completion)) return unmarked(ended.since(exit.at));
    const hasTurn = hasWorked(question.evidence) || isPlainProgram(question.evidence) || completion.marker !== null;
    const isDone = hasTurn && !hasFailed(question.evidence);
    const state = isDone ? "complete" : "idle";
    return {
      state,
      cause: null,
      confidence: 0.7,
      reasons: [`The process exited ${formatAgo(ended.since(exit.at))} (process), exit code 0`],
    };
  }
  if (isOver(question.evidence))
    return {
      state: "idle",
      cause: null,
      confidence: 0.7,
      reasons: [`The process exited outside a turn ${formatAgo(ended.since(exit.at))} (process)${how}`],
    };
  const cause = exit.signal !== null ? "crash" : exit.code !== null ? "exit_code" : null;
  const left = ended.evidence.prompts.leftOpen;
  const when = left ? " while waiting for an answer" : turn.turns > 0 ? " in the middle of its work" : "";
  return {
    state: "gone",
    cause,
    confidence: 0.9,
    reasons: [`The process exited${when} ${formatAgo(ended.since(exit.at))} (process)${how}`, ...lastWords(question)],
  };
}

/**
 * The last line of an unknown program. A line above it explains only an exit code that is not 0, also of a program that
 * showed a turn; a failure without a known cause is what the exit code says.
 */
function statedAtEnd(ended: RuleInput, code: number | null, isLeft: boolean): RuleVerdict | null {
  const { evidence } = ended;
  const hasFailed = code !== null && code !== 0;
  if (!(hasFailed && !isLeft ? isUnknownPrinter(evidence) : isPlainProgram(evidence))) return null;
  if (evidence.progress.reading?.failure?.earlier && !hasFailed) return null;
  const stated = lastLine(ended);
  return stated?.state === "error" && stated.cause === null && code !== 0 ? null : stated;
}

/** Its screen, at its end, has no input field: what it shows was printed. */
const isUnknownPrinter = ({ traits, progress }: Evidence): boolean =>
  traits.versions === null && progress.reading?.composer === "hidden";

/** Its command line was its prompt, and no more output will follow. */
const unmarked = (sinceExit: number): RuleVerdict => ({
  state: "stuck",
  cause: "no_completion_signal",
  confidence: 0.7,
  reasons: [
    `The process exited ${formatAgo(sinceExit)} (process), exit code 0, without the requested completion marker on the screen`,
  ],
});

const WORDS_MAX = 160;

/** The last row of an unknown program may explain the failure; no other reader uses it. */
function lastWords({ evidence, since }: RuleInput): string[] {
  const { reading, readingAt } = evidence.progress;
  const row = reading?.failure?.text ?? reading?.tail?.findLast((line) => line.trim() !== "");
  if (row === undefined || readingAt === null || !isUnknownPrinter(evidence)) return [];
  return [`Last output ${formatAgo(since(readingAt))} (screen): ${row.trim().slice(0, WORDS_MAX)}`];
}

/** Keys that quit a program, or just typing right before its end. */
function leftBy({ evidence }: RuleInput, since: RuleInput["since"], ended: string): string {
  const { exit, quitAt, quitBy, quitOrdered } = evidence;
  const ago = formatAgo(since(quitAt ?? exit?.typedAt ?? 0));
  if (quitBy !== null && quitBy !== "human") return `Stopped on request ${ago} (observer); ${ended}`;
  if (quitAt !== null && quitOrdered) return `Stopped with \`rouse stop\` ${ago} (human); ${ended}`;
  return `${quitAt === null ? "A user typed" : "Closed by a user"} ${ago} (human); ${ended}`;
}

/** A dialog and a wait end with the program; a result, limit or error that they describe does not. */
const final = (verdict: RuleVerdict | null): RuleVerdict | null =>
  verdict && RESULTS.has(verdict.state) ? verdict : null;
const RESULTS: ReadonlySet<State> = new Set<State>(["complete", "error", "rate_limited"]);

/** A user who quits a program has seen its state, so it is not stuck. */
function atRest({ state, cause, until, confidence, reasons }: RuleVerdict): RuleVerdict {
  return state === "stuck"
    ? { state: "complete", cause: null, confidence: 0.5, reasons }
    : { state, cause, confidence, reasons, ...(until === undefined ? {} : { until }) };
}

/** The input as it was before the program started to exit. */
function asItEnded(question: RuleInput, exitAt: number): RuleInput {
  const { evidence } = question;
  const { leaving, failures, progress } = evidence;
  if (leaving && (endedByHuman(evidence) || stoppedByRouse(evidence) !== null))
    return { ...question, active: false, evidence: { ...evidence, ...leaving } };
  // Its last screen may lack the error or the question that preceded it.
  const isLeave = (left: { at: number } | null): boolean => left !== null && exitAt - left.at <= CUT_OFF_MS;
  const before: Partial<Evidence> = {};
  if (isLeave(failures.left)) before.failures = { ...failures, ...failures.left };
  if (progress.left && isLeave(progress.left)) before.progress = { ...progress, reading: progress.left.reading };
  return { ...question, active: false, evidence: { ...evidence, ...before } };
}

/** When rouse stopped it to recover it; null if it did not. A user who quits it meanwhile comes first. */
function stoppedByRouse({ exit, stoppedAt }: Pick<Evidence, "exit" | "stoppedAt">): number | null {
  return exit && stoppedAt !== null && exit.at - stoppedAt < STOPPED_MS ? stoppedAt : null;
}

type Ending = Pick<Evidence, "exit" | "quitAt" | "rouseTypedAt" | "turn">;

/** True for an ordered end too: it is equally intended. */
export function endedByHuman(evidence: Ending): boolean {
  const { exit, quitAt } = evidence;
  if (!exit) return false;
  return (quitAt !== null && exit.at - quitAt < LEAVING_MS) || endedByKeys(evidence);
}

/**
 * In a terminal that rouse does not own, neither the keys nor the exit status are visible, only the time of the last
 * input. Input right before the end means that the user was present, unless rouse typed it or it is the request that
 * started the last turn, which may have been cut off.
 */
function endedByKeys({ exit, rouseTypedAt, turn }: Ending): boolean {
  if (exit?.typedAt === undefined || exit.code !== null || exit.signal !== null) return false;
  const { typedAt } = exit;
  const isAfter = (at: number | null): boolean => at === null || typedAt > at;
  return exit.at - typedAt <= TYPED_MS && isAfter(rouseTypedAt) && isAfter(turn.startedAt);
}

/** The last turn ended before the process did, according to the live view or to a record. */
function finished({ evidence }: RuleInput): boolean {
  if (evidence.prompts.leftOpen || hasFailed(evidence)) return false;
  const { endedAt, startedAt, record } = evidence.turn;
  if (endedAt !== null && endedAt >= (startedAt ?? 0) && outlived(evidence, endedAt)) return true;
  if (record.endAt === null || record.endAt < (record.startAt ?? 0) || !outlived(evidence, record.endAt)) return false;
  return !isCutOffAfter(evidence, record.endAt);
}

/** A later turn was running, and of it no record was written. */
const isCutOffAfter = ({ turn, exit }: Evidence, recordedAt: number): boolean =>
  turn.endedAt === null && (turn.startedAt ?? 0) > recordedAt && (exit?.at ?? 0) - (turn.startedAt ?? 0) > CUT_OFF_MS;

/**
 * A program that rouse did not start ended at its prompt: its user or a script closed it, and rouse has nothing to
 * recover. A program that fails before its prompt appears has not ended outside a turn, if its status says so. After
 * keys of rouse, the recovery plan continues.
 */
function isOver(evidence: Evidence): boolean {
  const { exit, turn, rouseTypedAt, prompts } = evidence;
  if (!exit?.adopted || (prompts.leftOpen && turn.turns > 0)) return false;
  if (rouseTypedAt !== null && exit.at - rouseTypedAt < LEAVING_MS) return false;
  const isKnown = exit.code !== null || exit.signal !== null;
  if (isKnown && turn.readyAt === null && turn.turns === 0) return false;
  return !hasWorked(evidence) || !isCutOff(evidence);
}

/** A turn was running, or ended together with the process. */
const isCutOff = ({ turn, exit }: Evidence): boolean =>
  turn.endedAt === null ? turn.startedAt !== null : (exit?.at ?? 0) - turn.endedAt <= CUT_OFF_MS;

/** The program reported a failure; the reason is no longer on the cleared screen. */
const hasFailed = ({ turn }: Evidence): boolean => turn.endedBy?.status === "failed";

/** A turn that ends together with a failing process was cut off by the same cause. */
function outlived({ exit, quitAt }: Evidence, endedAt: number): boolean {
  return exit?.code === 0 || endedAt < (quitAt ?? 0) || (exit?.at ?? 0) - endedAt > CUT_OFF_MS;
}
