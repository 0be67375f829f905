/**
 * Is the agent going in circles? Outcomes decide, not calls: see `loop-repeats.ts` for repeats, `loop-rounds.ts` for
 * rounds, `loop-talk.ts` for messages, text and compactions.
 */
import { digest } from "../../digest.js";
import type { Signal, ToolEndSignal, ToolStartSignal } from "../../signal.js";
import type { EvidenceKind } from "./evidence-kind.js";
import { reasonOf } from "./loop-reason.js";
import {
  createRepeats,
  type FinishedCall,
  forgetRepeats,
  type Repeats,
  reachState,
  takeFinished,
} from "./loop-repeats.js";
import { createRounds, endCall, type Rounds, replayRound, startCall } from "./loop-rounds.js";
import { explainShown, isLoopShown, type ShownRepeat, takeShownRepeat } from "./loop-screen.js";
import {
  createTalk,
  forgetTalk,
  type TalkState,
  takeCall,
  takeCompaction,
  takeError,
  takeMessage,
  takeRepetition,
  talkReportOf,
} from "./loop-talk.js";

export interface LoopVerdict {
  cause: "loop" | "repeated_error" | "no_progress";
  /** Number of equal rounds; for text, of equal blocks. */
  rounds: number;
  since: number;
  /** Rounds in one lap of the cycle; for text, characters in one block. */
  period: number;
  /** The tool or the repeated text. */
  subject: string;
  /** One sentence for users. */
  reason: string;
  /** The kind of evidence that shows it. */
  kind: Extract<EvidenceKind, "record" | "screen">;
}

export interface LoopState {
  rounds: Rounds;
  repeats: Repeats;
  talk: TalkState;
  /** The repeated block on the screen. */
  shown: ShownRepeat | null;
  /** Calls since the last result, in a source that shows no results: see `retry`. */
  resultless: FinishedCall[];
  /** How many of them belong to earlier replies. */
  settled: number;
  session: string | undefined;
  lastAt: number;
}

const RESULTLESS_MAX = 128;
/** A loop verdict expires after this time without a signal. */
const VERDICT_MS = 10 * 60_000;

export function createLoop(): LoopState {
  return {
    rounds: createRounds(),
    repeats: createRepeats(),
    talk: createTalk(),
    shown: null,
    resultless: [],
    settled: 0,
    session: undefined,
    lastAt: Number.NEGATIVE_INFINITY,
  };
}

/** Records a signal; unrelated kinds change nothing. */
export function takeLoop(state: LoopState, signal: Signal): void {
  switch (signal.kind) {
    case "tool_start":
      if (signal.edgeOnly) return;
      takeStart(state, signal);
      takeCall(state.talk, signal);
      break;
    case "tool_end":
      if (signal.edgeOnly) return;
      takeEnd(state, signal);
      break;
    case "message":
      state.settled = state.resultless.length;
      if (signal.role === "assistant") takeMessage(state.talk, signal);
      else if (!signal.own || signal.newSession) startAfresh(state);
      break;
    case "turn":
      if (signal.phase === "start") {
        if (signal.byUser) startAfresh(state);
      } else {
        state.repeats.reported = undefined;
        forgetTalk(state.talk);
      }
      break;
    case "session":
      if (signal.id !== undefined && state.session !== undefined && signal.id !== state.session) startAfresh(state);
      state.session = signal.id ?? state.session;
      return;
    case "retry":
      takeRetry(state);
      break;
    case "compaction":
      takeCompaction(state.talk, signal);
      // The context is lost, so rereading is legitimate.
      if (signal.phase === "end") forgetRepeats(state.repeats);
      break;
    case "error":
      takeError(state.talk, signal);
      break;
    case "repetition":
      takeRepetition(state.talk, signal);
      break;
    case "file":
      if (signal.role === undefined || signal.role === "workspace") {
        takeChange(state, signal.digest === undefined ? undefined : `file ${signal.path} ${signal.digest}`);
      }
      return;
    case "commit":
      takeChange(state, `commit ${signal.id}`);
      return;
    case "test":
      if (signal.digest !== undefined) takeChange(state, `test ${signal.digest}`);
      return;
    case "checkpoint":
      takeChange(state, `checkpoint ${signal.task ?? ""} ${signal.step ?? ""} ${signal.text ?? ""}`);
      return;
    case "screen": {
      const before = state.shown?.grownAt;
      state.shown = takeShownRepeat(state.shown, signal);
      if (state.shown?.grownAt === before) return;
      break;
    }
    case "delta":
      break;
    default:
      return;
  }
  state.lastAt = Math.max(state.lastAt, signal.at);
}

/** The finding holds until this time if no signal arrives. */
export const loopHoldsUntil = ({ lastAt }: LoopState): number => lastAt + VERDICT_MS;

/** The current loop, if any. */
export function loopVerdict(state: LoopState, now: number): LoopVerdict | null {
  if (now > loopHoldsUntil(state)) return null;
  const { reported } = state.repeats;
  if (reported) {
    const cause = reported.rule === "circle" ? "no_progress" : reported.entry.isError ? "repeated_error" : "loop";
    const { rounds, since, until, entry } = reported;
    return {
      cause,
      rounds,
      since,
      period: entry.period,
      subject: entry.tool,
      reason: reasonOf({ ...reported, until }),
      kind: "record",
    };
  }
  const talk = talkReportOf(state.talk);
  if (!talk) return loopShown(state);
  const { rule, rounds, since, period } = talk;
  const cause = rule === "compaction" ? "no_progress" : rule === "error" ? "repeated_error" : "loop";
  return {
    cause,
    rounds,
    since,
    period,
    subject: rule,
    reason: reasonOf({ ...talk, until: state.lastAt }),
    kind: "record",
  };
}

/** Used if no other source shows calls. */
function loopShown({ shown, rounds, lastAt }: LoopState): LoopVerdict | null {
  if (rounds.ids.size > 0 || !isLoopShown(shown)) return null;
  const { times, rows, since, text } = shown;
  const reason = reasonOf({ rule: "shown", rounds: times, period: rows, since, until: lastAt, text });
  return { cause: "loop", rounds: times, since, period: rows, subject: text, reason, kind: "screen" };
}

function takeStart(state: LoopState, start: ToolStartSignal): void {
  const call = startCall(state.rounds, start);
  if (!call || state.rounds.showsResults) return;
  if (state.resultless.length >= RESULTLESS_MAX) {
    state.resultless.shift();
    state.settled = Math.max(0, state.settled - 1);
  }
  state.resultless.push(call);
  if (takeFinished(state.repeats, call)) forgetTalk(state.talk);
}

function takeEnd(state: LoopState, end: ToolEndSignal): void {
  const knewResults = state.rounds.showsResults;
  const call = endCall(state.rounds, end.id);
  if (!call) return;
  // The first result: from here on, calls are counted with their results.
  if (!knewResults) {
    forgetRepeats(state.repeats);
    state.resultless = [];
    state.settled = 0;
  }
  if (takeFinished(state.repeats, { ...call, end })) forgetTalk(state.talk);
}

/** The reply is sent again: its calls without a result did not happen. */
function takeRetry(state: LoopState): void {
  replayRound(state.rounds);
  if (state.rounds.showsResults) return;
  state.resultless.length = state.settled;
  state.repeats = createRepeats();
  for (const call of state.resultless) takeFinished(state.repeats, call);
}

/** The world changed. A return to an earlier state is no change. */
function takeChange(state: LoopState, reached: string | undefined): void {
  const isNew = reached === undefined || reachState(state.repeats, digest(reached));
  if (!isNew) return;
  if (reached === undefined) forgetRepeats(state.repeats);
  state.shown = explainShown(state.shown);
  forgetTalk(state.talk);
}

function startAfresh(state: LoopState): void {
  state.repeats = createRepeats();
  state.rounds = createRounds();
  forgetTalk(state.talk);
  state.shown = explainShown(state.shown);
  state.resultless = [];
  state.settled = 0;
}
