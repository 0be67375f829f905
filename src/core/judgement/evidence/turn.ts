/**
 * Is a turn running? Several sources say so, each in its own way and with its own lag; the best one that says
 * anything decides. Bytes are never asked: a hung program repaints, a finished one is silent.
 */
import type { ScreenReading, ScreenSignal, Signal, Source } from "../../signal.js";
import type { Traits } from "../../traits.js";
import { askMotion, createMotion, isGuess, type Motion, takeMotion } from "./motion.js";

export type TurnWord = "active" | "idle" | "blocked" | "done" | "failed";

export interface TurnEvidence {
  words: Partial<Record<Source, { word: TurnWord; at: number }>>;
  /** When the present or last turn began, and by whom. */
  startedAt: number | null;
  /** When it was last said to be over; null while it runs. */
  endedAt: number | null;
  /** Who said so, and how; null where no source was heard to. */
  endedBy: { source: Source; word: TurnWord } | null;
  /** Turns seen so far, by any source. */
  turns: number;
  /** The last turn was cut off by a human. */
  interrupted: { at: number; source: Source } | null;
  /** When a human last asked for something: a prompt in the transcript, or Enter in the terminal. */
  askedAt: number | null;
  /** The title was seen to say more than that the program is at its prompt, so that its silence means something. */
  titleTells: boolean;
  /** The screen's word rests on motion alone. */
  byMotion: boolean;
  motion: Motion;
  /** A record (stream, hook, transcript) told the begin and the end of a turn. */
  record: { startAt: number | null; startBy: Source | null; endAt: number | null; endBy: Source | null };
  /** A stream of events told the begin of a turn, and not its end yet. */
  isStreaming: boolean;
  /** The end was only read out of a last message, or out of what the screen says last. */
  presumed: boolean;
  /** When its composer was first on the screen with no turn running: the program had started up. */
  readyAt: number | null;
  /** The screen showed a place to type, a tool or a counter: what it calls busy is more than a program that loads. */
  showedWork: boolean;
  /**
   * It has started, so that Enter asks for something. Before, a person who presses Enter while a program loads would
   * make a turn of the motion of its start.
   */
  takesPrompts: boolean;
  /** A digest of the agent's words on the screen, and of those that stood there as the turn began; null for none. */
  shown: string | null;
  shownBefore: string | null;
  /** The turn left words that were not there before it. */
  leftWords: boolean;
  /** It was taken for a flicker of the program's start, and not counted. */
  isFlicker: boolean;
  /** The trait of the program. */
  statusOutlivesTurn: boolean;
}

/**
 * Best first. The screen's own busy mark comes late: it flickers, forks change it, and Codex shows none while a reply
 * streams. A transcript that marks its turns outranks it; one whose ends are only presumed does not.
 */
const ORDER: readonly Source[] = ["program_status", "stream", "title", "session_file", "hook", "transcript", "screen"];
const ORDER_PRESUMED: readonly Source[] = ORDER.map((s) =>
  s === "transcript" ? "screen" : s === "screen" ? "transcript" : s,
);

const FLICKER_MS = 1500;
const BLINK_MS = 3000;
/** Codex draws its composer, and says for a moment that it works while it loads. */
const READY_MS = 3000;

export function createTurn({ statusOutlivesTurn = false }: Partial<Traits> = {}): TurnEvidence {
  return {
    words: {},
    startedAt: null,
    endedAt: null,
    endedBy: null,
    turns: 0,
    interrupted: null,
    askedAt: null,
    titleTells: false,
    byMotion: false,
    motion: createMotion(),
    record: { startAt: null, startBy: null, endAt: null, endBy: null },
    isStreaming: false,
    presumed: false,
    readyAt: null,
    showedWork: false,
    takesPrompts: false,
    shown: null,
    shownBefore: null,
    leftWords: false,
    isFlicker: false,
    statusOutlivesTurn,
  };
}

/** `startsQuiet` is the trait of the program; `isStranger`, that nobody knows it. */
export function takeTurn(turn: TurnEvidence, signal: Signal, startsQuiet = false, isStranger = false): void {
  switch (signal.kind) {
    case "status":
      if (signal.status === "clear") delete turn.words[signal.source];
      else say(turn, signal.source, WORD_OF_STATUS[signal.status], signal.at);
      return;
    case "turn":
      if (signal.source === "stream") turn.isStreaming = signal.phase === "start";
      if (signal.phase === "start") {
        if (signal.byUser) turn.askedAt = signal.at;
        turn.presumed = false;
        turn.record.startAt = signal.at;
        turn.record.startBy = signal.source;
        say(turn, signal.source, "active", signal.at);
        // A better source that is asked every other second misses a turn that is shorter than that.
        if (!RUNS.has(turnWord(turn)?.word)) begin(turn, signal.at);
      } else {
        if (signal.phase === "interrupted") turn.interrupted = { at: signal.at, source: signal.source };
        turn.presumed = signal.presumed ?? false;
        const before = turnWord(turn);
        if (!signal.presumed) {
          turn.record.endAt = signal.at;
          turn.record.endBy = signal.source;
        }
        say(turn, signal.source, "idle", signal.at, before);
      }
      return;
    case "screen": {
      const { busy, interrupted, moving } = signal.reading;
      // While it works, the word stands there from the turn before.
      if (interrupted && busy !== true && turn.words.screen?.word === "active")
        turn.interrupted = { at: signal.at, source: "screen" };
      takeMotion(turn.motion, signal.reading, signal.at);
      const isGuessed = busy === null || (isStranger && isGuess(turn.motion, signal.reading));
      if (!isGuessed) say(turn, "screen", busy ? "active" : "idle", signal.at);
      // No mark at all is known: after a human asked, motion is the only sign of a turn, and its end of the turn's end.
      else if (turn.askedAt !== null && !signal.reading.dialog)
        say(turn, "screen", moving || isCutOff(turn, signal.reading) ? "active" : "idle", signal.at);
      turn.byMotion = isGuessed;
      turn.showedWork ||= showsWork(signal.reading);
      if (hasGivenUp(signal.reading)) turn.presumed = true;
      if (signal.reading.composer !== "hidden" && turnWord(turn)?.word !== "active") turn.readyAt ??= signal.at;
      turn.takesPrompts = isOpeningDialog(signal.reading) ? false : turn.takesPrompts || isSettled(signal.reading);
      const before = turnWord(turn);
      takeWords(turn, signal, startsQuiet);
      takeEdge(turn, before, "screen", signal.at);
      return;
    }
    case "input":
      if (!signal.submits || !turn.takesPrompts) return;
      turn.askedAt = signal.at;
      askMotion(turn.motion);
      return;
    case "exit":
      turn.words = {};
      return;
    default:
      return;
  }
}

/**
 * What a turn left behind tells that it was one. A program whose flags rise while it loads may take a conversation up again,
 * and paint the end of an old turn meanwhile: there, what stands on the screen in the first seconds is old, and words alone,
 * which may be a banner's, say nothing.
 */
function takeWords(turn: TurnEvidence, { at, reading }: ScreenSignal, startsQuiet: boolean): void {
  const { reply, ended = false, closing, replying = false, structural } = reading;
  const speaks = ended || closing === "question" || (startsQuiet && replying && !structural);
  turn.shown = speaks ? `${reply} ${ended} ${closing}` : null;
  if (turn.startedAt === null) return;
  if (!startsQuiet && at - turn.startedAt < READY_MS) turn.shownBefore = turn.shown;
  turn.leftWords ||= turn.shown !== null && turn.shown !== turn.shownBefore;
  if (!turn.isFlicker || !turn.leftWords || !startsQuiet) return;
  turn.isFlicker = false;
  turn.turns++;
}

/**
 * It states as its last word what stopped it, and stands at its prompt: whether a record of the end comes as well hangs on
 * the release. Codex 0.98 writes none.
 */
const hasGivenUp = ({ busy, moving, composer, limit, error }: ScreenReading): boolean =>
  busy === false && !moving && composer !== "hidden" && (limit !== undefined || error !== undefined);

/** It had a place to type into, that has not come back, and the cursor stands behind the last word of its reply. */
const isCutOff = ({ readyAt }: TurnEvidence, { composer, caret, replying }: ScreenReading): boolean =>
  readyAt !== null && composer === "hidden" && caret === "text" && replying === true;

const showsWork = ({ composer, tool, tokens }: ScreenReading): boolean =>
  composer !== "hidden" || tool !== undefined || tokens !== undefined;

/** Enter in such a dialog lets the program start, and asks it for nothing. */
const isOpeningDialog = ({ dialog }: ScreenReading): boolean =>
  dialog !== undefined && (dialog.prompt === "trust" || dialog.prompt === "login");

/** It has come to rest, or there is something to type into. */
const isSettled = ({ moving, composer }: ScreenReading): boolean => !moving || composer !== "hidden";

const RUNS: ReadonlySet<TurnWord | undefined> = new Set<TurnWord | undefined>(["active", "blocked"]);

const WORD_OF_STATUS = { working: "active", idle: "idle", blocked: "blocked", done: "done", error: "failed" } as const;

function say(turn: TurnEvidence, source: Source, word: TurnWord, at: number, before = turnWord(turn)): void {
  if (turn.words[source]?.word === word) return;
  turn.words[source] = { word, at };
  if (source === "title" && word !== "idle") turn.titleTells = true;
  takeEdge(turn, before, source, at);
}

/** What was said changed whether a turn runs, or did not. */
function takeEdge(turn: TurnEvidence, before: TurnReport | null, source: Source, at: number): void {
  const after = turnWord(turn);
  if (before?.word === "active" && after && after.word !== "active" && after.word !== "blocked") {
    turn.endedAt = at;
    turn.endedBy = { source: after.source, word: after.word };
    // A flicker before, or as soon as, there is anything to type into is the program starting up, not a turn.
    const isNew = (turn.startedAt ?? 0) - (turn.readyAt ?? at) < READY_MS;
    // What somebody typed while it loads waits for the end of that; a turn of a program with such a flag has a record.
    const isUnasked = turn.record.startAt === null && (turn.askedAt === null || source !== "screen");
    const isShort = isNew && at - (turn.startedAt ?? 0) < FLICKER_MS;
    // Qwen Code turns a spinner for many seconds before it has anything to type into.
    const isLoading = source === "screen" && !turn.showedWork;
    // The end of a turn is done, or an error: of 91 flickers of the flag in recordings, all ended in idle.
    if (after.word === "idle" && isUnasked && (isShort || isLoading)) {
      turn.turns = Math.max(0, turn.turns - 1);
      turn.isFlicker = !isLoading;
    }
  }
  if (after?.word !== "active" || before?.word === "active") return;
  // A dialog that was answered goes on with the same turn.
  if (before?.word === "blocked" && turn.startedAt !== null) return;
  if (source === "screen" && isBlink(turn, at)) {
    turn.endedAt = null;
    turn.endedBy = null;
  } else begin(turn, at);
}

/** The screen's mark went out for a moment, and nobody asked for anything: it is the same turn, and no news. */
const isBlink = ({ endedAt, endedBy, askedAt }: TurnEvidence, at: number): boolean =>
  endedBy?.source === "screen" && endedAt !== null && at - endedAt < BLINK_MS && (askedAt ?? 0) < endedAt;

function begin(turn: TurnEvidence, at: number): void {
  turn.startedAt = at;
  turn.endedAt = null;
  turn.endedBy = null;
  turn.turns++;
  turn.interrupted = null;
  turn.shownBefore = turn.shown;
  turn.leftWords = false;
  turn.isFlicker = false;
}

interface TurnReport {
  word: TurnWord;
  at: number;
  source: Source;
}

/** What the best source says, and since when. */
export function turnWord(turn: TurnEvidence): TurnReport | null {
  for (const source of turn.presumed ? ORDER_PRESUMED : ORDER) {
    const said = turn.words[source];
    if (!said || (source === "title" && !turn.titleTells)) continue;
    if (source === "program_status" && outlivesTurn(turn, said)) continue;
    return { word: said.word, at: said.at, source };
  }
  // Inside tmux Claude Code writes its idle title once and lets it stand through every turn.
  return turn.words.title ? { ...turn.words.title, source: "title" } : null;
}

/**
 * Where the status outlives the turn, the title falls when the turn is over, and then its record has an end, or its screen
 * the turn's last words.
 */
function outlivesTurn(
  { words: { title }, titleTells, record, leftWords, statusOutlivesTurn }: TurnEvidence,
  flag: Omit<TurnReport, "source">,
): boolean {
  if (!statusOutlivesTurn) return false;
  if (flag.word !== "active" || !titleTells || title?.word !== "idle" || title.at <= flag.at) return false;
  const { startAt, endAt } = record;
  return startAt === null ? leftWords : endAt !== null && endAt > Math.max(flag.at, startAt);
}
