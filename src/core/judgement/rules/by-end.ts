import { settingOf } from "../../defaults.js";
import type { Source } from "../../signal.js";
import type { Cause } from "../../states.js";
import { formatAgo, formatFor } from "../../text/duration.js";
import { SECOND } from "../../text/time.js";
import { PLAIN_TRAITS } from "../../traits.js";
import { versionFit } from "../../version-fit.js";
import { SETTLE_MS, STOPPED_PRESUMED_AFTER_MS } from "../clocks.js";
import { checkpointVerdict, claimVerdict } from "../evidence/checkpoint.js";
import { completionVerdict } from "../evidence/completion.js";
import { agreeingKinds, distinctKinds, processSeen } from "../evidence/kinds.js";
import { neverExitedVerdict } from "../evidence/lifecycle.js";
import { lostResultVerdict } from "../evidence/lost-result.js";
import type { Evidence } from "../evidence/state.js";
import type { RuleInput, RuleVerdict } from "../rule.js";
import { byCompaction } from "./by-compaction.js";
import { byPending } from "./by-pending.js";
import { byQuiet, byReportedWork } from "./by-quiet.js";

/** The turn is over: finished, with a question, with a promise, or waiting for a result that never arrives. */
export function byEnd(question: RuleInput): RuleVerdict | null {
  const { evidence, now, reported, since, due, dueAfter, active, settings } = question;
  if (active !== false || !hasWorked(evidence)) return null;
  if (reported && since(quietAt(question, reported)) < settleMs(question, reported)) {
    dueAfter(quietAt(question, reported), settleMs(question, reported));
    return {
      state: "working",
      cause: null,
      confidence: 0.5,
      reasons: [unsettled(question, reported)],
    };
  }
  if (evidence.turn.interrupted !== null) {
    return {
      state: "idle",
      cause: null,
      confidence: 0.8,
      reasons: [
        `Interrupted ${formatAgo(since(evidence.turn.interrupted.at))} (${evidence.turn.interrupted.source}), now at its prompt`,
      ],
    };
  }
  const closing = closingOfTurn(question);
  const endedBy = reported ?? turnEndOf(evidence);
  const pending =
    byIdleCompaction(question, endedBy?.at ?? 0) ?? byPending(question, endedBy?.at ?? 0, closing?.closing);
  if (pending) return pending;
  const options = { ...settings, turnActive: false, dueAfter };
  for (const verdict of [
    neverExitedVerdict(evidence.lifecycle, now, options),
    // A presumed end may be the pause before the next call.
    evidence.turn.presumed ? null : lostResultVerdict(evidence.lostResult, now, options),
    completionVerdict(evidence.completion, now, options),
    // Runs on the longer clock, so a missing checkpoint is reported first.
    claimVerdict(evidence.checkpoint, now, options),
    checkpointVerdict(evidence.checkpoint, now, options),
  ]) {
    if (!verdict) continue;
    const { cause, confidence, reason } = verdict;
    const found = distinctKinds([
      ...agreeingKinds(evidence, active),
      cause === "never_exited" ? processSeen(evidence) : null,
    ]);
    const act = OWES_AN_END.has(cause) && found.length >= 2;
    return { state: "stuck", cause, confidence, reasons: [reason], act, kinds: found };
  }
  due(now + 30_000);
  const unmarked = reported?.source === "screen" && evidence.turn.byMotion;
  const quiet = byReportedWork(question) ?? (unmarked ? byQuiet(question) : null);
  if (quiet) return quiet;
  const ended = `The turn ended${endedBy ? ` ${formatAgo(since(endedBy.at))} (${endedBy.source})` : ""}`;
  if (closing?.closing === "question") {
    return {
      state: "needs_input",
      cause: "input",
      confidence: 0.8,
      reasons: [`${ended} with a question (${closing.source}): ${closing.preview}`],
    };
  }
  if (closing?.closing === "promise") {
    const patience = evidence.turn.presumed
      ? STOPPED_PRESUMED_AFTER_MS
      : settingOf(settings, "stopped_early_seconds") * SECOND;
    if (reported) dueAfter(reported.at, patience);
    if (reported && since(reported.at) < patience) {
      if (evidence.turn.presumed)
        return {
          state: "working",
          cause: null,
          confidence: 0.5,
          reasons: [`${ended}, but its last message announces a next step (${closing.source})`],
        };
      return {
        state: "complete",
        cause: null,
        confidence: 0.5,
        reasons: [`${ended}; its last message promises more work, so it may have stopped early`],
      };
    }
    return {
      state: "stuck",
      cause: "stopped_early",
      confidence: 0.6,
      reasons: [`${ended}, but its last message only promises more work (${closing.source}): ${closing.preview}`],
    };
  }
  if (!closing && reported?.source === "screen" && isBare(evidence)) {
    const reasons = [`At its prompt ${formatFor(since(reported.at))} (screen), no sign of a turn on the screen`];
    return { state: "idle", cause: null, confidence: 0.5, reasons };
  }
  const confidence = evidence.turn.presumed ? 0.6 : closing ? 0.9 : 0.75;
  return { state: "complete", cause: null, confidence, reasons: [ended] };
}

/** A user may compact the context at the prompt. */
function byIdleCompaction(question: RuleInput, endedAt: number): RuleVerdict | null {
  const { compacting } = question.evidence;
  if (compacting === null || compacting.at < endedAt) return null;
  return byCompaction(question);
}

/** The reason until the end is confirmed. */
export const unconfirmedReason = (
  { since }: RuleInput,
  have: string,
  reported: { at: number; source: Source },
): string => `The turn seems to have ${have} ${formatAgo(since(reported.at))} (${reported.source}), not confirmed yet`;

/** A record may show a turn before the program's flag does. */
function unsettled(question: RuleInput, reported: ReportedTurn): string {
  const { startAt, startBy } = question.evidence.turn.record;
  if (startAt !== null && startAt > reported.at && isRecordOpen(question.evidence, reported))
    return `A turn started ${formatAgo(question.since(startAt))} (${startBy}), but the ${reported.source} still shows idle`;
  return unconfirmedReason(question, "ended", { at: quietAt(question, reported), source: reported.source });
}

/** The source of the last end, when no source reports a state any more. */
export function turnEndOf({ turn: { endedAt, endedBy, record } }: Evidence): { at: number; source: Source } | null {
  if (endedAt !== null && endedBy !== null) return { at: endedAt, source: endedBy.source };
  return record.endAt === null || record.endBy === null ? null : { at: record.endAt, source: record.endBy };
}

/** An unknown program with nothing above its prompt may have redrawn itself before any work. */
const isBare = ({ traits, progress }: Evidence): boolean =>
  traits.versions === null && progress.reading?.lastLine === "";

/**
 * The program's flag or its busy mark rose and fell, but the model wrote nothing on a readable screen, no record started
 * and no request preceded it: the program was loading or starting its servers, which may take many seconds. A real turn
 * ends in `done`, has a record, or leaves text on the screen.
 */
const didNothing = ({ turn, proof, progress, traits }: Evidence): boolean =>
  turn.endedBy?.status === "idle" &&
  // The state file of a program may rise and fall before its first screen.
  (progress.reading !== null || turn.endedBy.source === "session_file") &&
  (turn.askedAt === null || turn.askedAt > (turn.startedAt ?? 0)) &&
  turn.record.startAt === null &&
  proof.workAt === null &&
  leftNothing(turn.endedBy.source, { turn, progress, traits });

/** By the source of the end. The status of a real turn ends in done; an animated logo may look like text. */
function leftNothing(
  source: Source,
  { turn, progress, traits }: Pick<Evidence, "turn" | "progress" | "traits">,
): boolean {
  if (source === "program_status") return true;
  if (source === "title" || source === "session_file") return !turn.leftWords;
  // In a program without a profile, motion is the only sign of a turn.
  return source === "screen" && traits.versions !== null && !turn.leftWords && progress.reading?.replying !== true;
}

/** There was a turn, and it was more than program start-up. A question shows one that ended before rouse looked. */
export const hasWorked = (evidence: Evidence): boolean =>
  evidence.turn.asks !== null || (evidence.turn.turns > 0 && !didNothing(evidence));

/**
 * The program reports that its work is over, but does not exit. Reported and acted on alike, once two kinds of evidence
 * agree.
 */
const OWES_AN_END: ReadonlySet<Cause> = new Set<Cause>(["never_exited", "no_completion_signal"]);

type ReportedTurn = NonNullable<RuleInput["reported"]>;

/** When the turn ended, as far as known. */
function quietAt({ evidence, now }: RuleInput, reported: ReportedTurn): number {
  const { reading, seen, stillAt } = evidence.progress;
  // In an unknown program, anything that still moves may be its busy indicator.
  const mayWork = evidence.traits.versions === null && reading?.moving && (stillAt ?? 0) < reported.at;
  if (reported.source === "screen" && mayWork) return now;
  // By the screen alone, a growing reply is a running turn.
  if (reported.source === "screen") return Math.max(reported.at, seen.reply ?? 0);
  return isRecordOpen(evidence, reported) ? Math.max(reported.at, evidence.turn.record.startAt ?? 0) : reported.at;
}

/** How long the end must last. A record is exact; a title or a busy mark may flicker between two steps of one turn. */
function settleMs({ evidence }: RuleInput, { source, at }: ReportedTurn): number {
  if (source !== "screen") {
    const { record } = evidence.turn;
    if (isRecordOpen(evidence, { at })) return (record.startAt ?? 0) > at ? SETTLE_MS.begun : SETTLE_MS.record;
    // Inferred from a last message in a stream; the next line may be a call.
    if (source === "stream" && evidence.turn.presumed) return SETTLE_MS.motion;
    // In a transcript, 91 % of 2,238 presumed ends that were none were over within 10 s.
    if (source === "transcript" && evidence.turn.presumed) return SETTLE_MS.unmarked;
    // Without a record, the last text comes from the screen, which is read after the flag falls.
    if (record.startAt === null && (evidence.progress.reading?.busy || isUnread(evidence, at))) return SETTLE_MS.reason;
    return source === "title" ? SETTLE_MS.title : 0;
  }
  if (evidence.turn.byMotion) {
    if (evidence.turn.motion.spins) return SETTLE_MS.stale;
    return evidence.progress.reading?.composer === "hidden" ? SETTLE_MS.motion : SETTLE_MS.unmarked;
  }
  if (evidence.progress.reading?.ended) return SETTLE_MS.title;
  const isOlder = versionFit(evidence.traits.versions, evidence.session.version) === -1;
  // A release older than the profile was checked with may lack the mark.
  if (evidence.traits.marksEnd && !isOlder) return SETTLE_MS.unmarked;
  // Without an end mark, a missing spinner after a tool result or a promise is more likely a pause.
  const { replying, closing } = evidence.progress.reading ?? {};
  if (closing === "promise") return SETTLE_MS.motion;
  return replying ? (isOlder ? PLAIN_TRAITS : evidence.traits).settleMs : SETTLE_MS.unmarked;
}

/** The turn ended before two checks of the screen agreed on its text, and no check has agreed since. */
const isUnread = ({ turn: { startedAt, leftWords }, progress: { readingAt } }: Evidence, endedAt: number): boolean =>
  !leftWords && (readingAt ?? 0) <= endedAt && startedAt !== null && endedAt - startedAt < SETTLE_MS.reason;

/**
 * A record has the start of the turn but, since the flag fell, neither its end (not even a presumed one) nor its last
 * message.
 */
function isRecordOpen({ turn: { record, presumed }, message }: Evidence, { at }: Pick<ReportedTurn, "at">): boolean {
  if (presumed || record.startAt === null || (record.endAt ?? Number.NEGATIVE_INFINITY) >= record.startAt) return false;
  return message === null || at < record.startAt || message.at < at;
}

function closingOfTurn({ evidence }: RuleInput): { closing: string; preview: string; source: string } | null {
  const { message, progress, turn } = evidence;
  if (turn.asks) return { closing: "question", preview: turn.asks.text, source: turn.asks.source };
  if (message && message.at >= (turn.startedAt ?? 0) - 2000) {
    return { closing: message.closing, preview: lastWords(message.preview), source: message.source };
  }
  const { closing, asks, tail = [] } = progress.reading ?? {};
  return closing ? { closing, preview: lastWords(asks ?? tail.slice(-2).join(" ")), source: "screen" } : null;
}

const WORDS_MAX = 160;

/** The end of a text, starting at a whole word. */
function lastWords(text: string): string {
  if (text.length <= WORDS_MAX) return text;
  const cut = text.slice(-WORDS_MAX);
  return `…${cut.slice(cut.indexOf(" ") + 1)}`;
}
