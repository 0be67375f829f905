/**
 * Repeats in the agent's messages rather than its calls: the same message, the same error of the program, text that
 * repeats within itself, and repeated compactions without work in between.
 *
 * Two sources may report the same event, so each source is counted separately.
 */

import type {
  CompactionSignal,
  ErrorSignal,
  MessageSignal,
  RepetitionSignal,
  Source,
  ToolStartSignal,
} from "../../signal.js";
import { infraOf } from "../normalise.js";
import { REPORT, SPACED_MS } from "./loop-repeats.js";

interface TalkCount {
  count: number;
  since: number;
  until: number;
}

/** `bare`: the last message was counted, and no call has followed it yet. */
type TalkCounts = Map<Source, TalkCount & { digest: string; bare: boolean }>;

export interface TalkState {
  messages: TalkCounts;
  errors: TalkCounts;
  compactions: Map<Source, TalkCount & { open: boolean }>;
  text: RepetitionSignal | undefined;
}

export interface TalkReport {
  rule: "message" | "error" | "compaction" | "text";
  rounds: number;
  since: number;
  period: number;
  source: Source;
}

const REPORT_ERRORS = 5;
const REPORT_COMPACTIONS = 3;

export function createTalk(): TalkState {
  return { messages: new Map(), errors: new Map(), compactions: new Map(), text: undefined };
}

/** A tool had a new outcome, or the user sent a message. */
export function forgetTalk(talk: TalkState): void {
  talk.messages.clear();
  talk.errors.clear();
  talk.compactions.clear();
  talk.text = undefined;
}

export function takeMessage(talk: TalkState, signal: MessageSignal): void {
  if (!countMessage(talk.messages, signal)) return;
  talk.compactions.clear();
  talk.text = undefined;
}

/**
 * Text next to a call is judged by the call: a poll writes the same text each time and waits deliberately, and equal
 * results reveal a real repeat. So only text without a call counts here.
 */
export function takeCall(talk: TalkState, { source }: ToolStartSignal): void {
  const row = talk.messages.get(source);
  if (!row?.bare) return;
  talk.messages.set(source, { ...row, count: row.count - 1, bare: false });
}

/** Only failures of the program itself: logins, limits and outages have their own causes. */
export function takeError(talk: TalkState, signal: ErrorSignal): void {
  if (signal.cause === "api" && infraOf(signal.text ?? "") === undefined) countMessage(talk.errors, signal);
}

/** Counts a message. True if it differs from the last one of this source. */
function countMessage(counts: TalkCounts, { at, source, digest }: MessageSignal | ErrorSignal): boolean {
  const row = counts.get(source);
  const isSame = row?.digest === digest;
  if (row && isSame && at - row.until < SPACED_MS)
    counts.set(source, { ...row, count: row.count + 1, until: at, bare: true });
  else counts.set(source, { digest, count: 1, since: at, until: at, bare: true });
  return !isSame;
}

export function takeCompaction(talk: TalkState, { at, source, phase }: CompactionSignal): void {
  const known = talk.compactions.get(source);
  // The same record, read twice.
  if (known?.until === at && known.open === (phase === "start")) return;
  const row = known ?? { count: 0, since: at, until: at, open: false };
  // A compaction that restarts without an end counts as one.
  const counts = phase === "end" || row.open;
  talk.compactions.set(source, { ...row, count: row.count + (counts ? 1 : 0), until: at, open: phase === "start" });
}

export function takeRepetition(talk: TalkState, signal: RepetitionSignal): void {
  if (signal.repeats > 0) talk.text = signal;
  else if (talk.text?.channel === signal.channel) talk.text = undefined;
}

export function talkReportOf(talk: TalkState): TalkReport | undefined {
  if (talk.text) {
    return {
      rule: "text",
      rounds: talk.text.repeats,
      since: talk.text.at,
      period: talk.text.period,
      source: talk.text.source,
    };
  }
  return (
    reportedOfRows("message", talk.messages, REPORT) ??
    reportedOfRows("error", talk.errors, REPORT_ERRORS) ??
    reportedOfRows("compaction", talk.compactions, REPORT_COMPACTIONS)
  );
}

function reportedOfRows(
  rule: TalkReport["rule"],
  rows: Map<Source, TalkCount>,
  report: number,
): TalkReport | undefined {
  for (const [source, { count, since }] of rows) {
    if (count >= report) return { rule, rounds: count, since, period: 1, source };
  }
  return undefined;
}
