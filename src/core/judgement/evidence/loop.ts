/**
 * Is the agent going round in circles? Outcomes decide, not calls: see `loop-repeats.ts` for what counts as a repeat,
 * `loop-rounds.ts` for what counts as a round, `loop-talk.ts` for messages, text and compactions.
 *
 * A verdict, once there, holds until something new comes of a call, the world changes, the human speaks or the turn
 * ends. A stream of calls without results is judged again from what is left of it when a retry takes calls back.
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
import { explainShown, isLoopShown, type ShownRepeat, takeShown } from "./loop-screen.js";
import {
  createTalk,
  forgetTalk,
  reportedOfTalk,
  type TalkState,
  takeCall,
  takeCompaction,
  takeError,
  takeMessage,
  takeRepetition,
} from "./loop-talk.js";

export interface LoopVerdict {
  cause: "loop" | "repeated_error" | "no_progress";
  /** How many equal rounds; for text, how many equal blocks. */
  rounds: number;
  since: number;
  /** Rounds in one lap of the cycle; for text, characters in one block. */
  period: number;
  /** The tool, or what repeats. */
  subject: string;
  /** One sentence for people. */
  reason: string;
  /** Where it was seen. */
  kind: Extract<EvidenceKind, "record" | "screen">;
}

export interface LoopState {
  rounds: Rounds;
  repeats: Repeats;
  talk: TalkState;
  /** What a screen shows again and again. */
  shown: ShownRepeat | null;
  /** Calls without results since the last one with, in a source that shows none: see `retry`. */
  resultless: FinishedCall[];
  /** How many of them belong to earlier replies. */
  settled: number;
  session: string | undefined;
  lastAt: number;
}

const RESULTLESS_MAX = 128;
/** A loop of which nothing was seen for so long is no loop any more, whatever else it is. */
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

/** Takes a signal in; kinds that say nothing about loops change nothing. */
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
      // The context is lost: to read things again is honest.
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
      state.shown = takeShown(state.shown, signal);
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

/** What was found holds until then, if nothing comes. */
export const loopHoldsUntil = ({ lastAt }: LoopState): number => lastAt + VERDICT_MS;

/** What repeats now, if anything. */
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
  const talk = reportedOfTalk(state.talk);
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

/** Where no other source tells of calls. */
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
  // The first result: what was counted without results is counted with them from here on.
  if (!knewResults) {
    forgetRepeats(state.repeats);
    state.resultless = [];
    state.settled = 0;
  }
  if (takeFinished(state.repeats, { ...call, end })) forgetTalk(state.talk);
}

/** The calls of this reply come again: those without a result did not happen. */
function takeRetry(state: LoopState): void {
  replayRound(state.rounds);
  if (state.rounds.showsResults) return;
  state.resultless.length = state.settled;
  state.repeats = createRepeats();
  for (const call of state.resultless) takeFinished(state.repeats, call);
}

/** The world changed; a state that was there before is no change. */
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
