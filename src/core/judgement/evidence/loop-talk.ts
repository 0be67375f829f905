/**
 * Repeats in what the agent says rather than does: the same message again, the same complaint of the program, a text
 * that repeats within itself, and a context that is compacted over and over without work between.
 *
 * Two sources may report the same thing, so each source is counted on its own.
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

/** `bare`: the last one was counted, and no call has followed it yet. */
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

/** Something new came of a tool, or the human spoke. */
export function forgetTalk(talk: TalkState): void {
  talk.messages.clear();
  talk.errors.clear();
  talk.compactions.clear();
  talk.text = undefined;
}

export function takeMessage(talk: TalkState, signal: MessageSignal): void {
  if (!hear(talk.messages, signal)) return;
  talk.compactions.clear();
  talk.text = undefined;
}

/**
 * Words that go with a call are judged by the call: a poll says the same each time and waits on purpose, and a real
 * repeat is found by its equal results. So only what is said without doing anything counts here.
 */
export function takeCall(talk: TalkState, { source }: ToolStartSignal): void {
  const row = talk.messages.get(source);
  if (!row?.bare) return;
  talk.messages.set(source, { ...row, count: row.count - 1, bare: false });
}

/** Only what the program itself cannot do: logins, limits and outages have causes of their own. */
export function takeError(talk: TalkState, signal: ErrorSignal): void {
  if (signal.cause === "api" && infraOf(signal.text ?? "") === undefined) hear(talk.errors, signal);
}

/** Counts what was said; true if it is not what this source said last. */
function hear(said: TalkCounts, { at, source, digest }: MessageSignal | ErrorSignal): boolean {
  const row = said.get(source);
  const isSame = row?.digest === digest;
  if (row && isSame && at - row.until < SPACED_MS)
    said.set(source, { ...row, count: row.count + 1, until: at, bare: true });
  else said.set(source, { digest, count: 1, since: at, until: at, bare: true });
  return !isSame;
}

export function takeCompaction(talk: TalkState, { at, source, phase }: CompactionSignal): void {
  const known = talk.compactions.get(source);
  // The same record, read again.
  if (known?.until === at && known.open === (phase === "start")) return;
  const row = known ?? { count: 0, since: at, until: at, open: false };
  // One that never ended and begins again was one too.
  const counts = phase === "end" || row.open;
  talk.compactions.set(source, { ...row, count: row.count + (counts ? 1 : 0), until: at, open: phase === "start" });
}

export function takeRepetition(talk: TalkState, signal: RepetitionSignal): void {
  if (signal.repeats > 0) talk.text = signal;
  else if (talk.text?.channel === signal.channel) talk.text = undefined;
}

export function reportedOfTalk(talk: TalkState): TalkReport | undefined {
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
