/**
 * Is a turn running? Several sources report it, each in its own way and with its own lag; the best available one
 * decides. Bytes are never used: a hung program repaints, a finished one is silent.
 */
import type { InputSignal, ScreenReading, ScreenSignal, Signal, Source } from "../../signal.js";
import type { Traits } from "../../traits.js";
import { askMotion, createMotion, isGuess, type Motion, takeMotion } from "./motion.js";

export type TurnStatus = "active" | "idle" | "blocked" | "done" | "failed";

export interface TurnEvidence {
  statuses: Partial<Record<Source, { status: TurnStatus; at: number }>>;
  /** When the current or last turn started. */
  startedAt: number | null;
  /** When it was last reported as over; null while it runs. */
  endedAt: number | null;
  /** The source and status of that end; null if no source reported one. */
  endedBy: { source: Source; status: TurnStatus } | null;
  /** Number of turns so far, from any source. */
  turns: number;
  /** The last turn was interrupted by the user. */
  interrupted: { at: number; source: Source } | null;
  /** When the user last sent a request: a prompt in the transcript, or Enter in the terminal. */
  askedAt: number | null;
  /** When a user and when a client submitted prompts: the first of each uninterrupted series. rouse's own nudges continue either. */
  prompted: { by: "human" | "client"; at: number }[];
  /** The screen shows a dialog. */
  hasDialog: boolean;
  /** The title has shown more than "at the prompt", so an idle title is meaningful. */
  titleShowsWork: boolean;
  /** The screen's status is based on motion alone. */
  byMotion: boolean;
  motion: Motion;
  /** Start and end of a turn according to a record (stream, hook, transcript). */
  record: { startAt: number | null; startBy: Source | null; endAt: number | null; endBy: Source | null };
  /** An event stream has reported the start of a turn and not its end yet. */
  isStreaming: boolean;
  /** The end was only inferred from a last message or from the last text on the screen. */
  presumed: boolean;
  /** What the program said to continue after the last end. */
  left: { background: number; scheduled: number; by: Source; at: number };
  /** The program's own summary of its last message, if that asks the user. */
  asks: { text: string; source: Source } | null;
  /** When its composer was first visible without a running turn: start-up was complete. */
  readyAt: number | null;
  /** The screen has shown an input field, a tool or a counter, so its busy mark means more than loading. */
  showedWork: boolean;
  /**
   * Start-up is complete, so Enter submits a request. Before that, Enter during loading would turn start-up motion into
   * a turn.
   */
  takesPrompts: boolean;
  /** A digest of the agent's text on the screen now, and at the start of the turn; null for none. */
  shown: string | null;
  shownBefore: string | null;
  /** The turn left new text on the screen. */
  leftWords: boolean;
  /** The turn was classified as a flicker of start-up and not counted. */
  isFlicker: boolean;
  traits: TurnTraits;
}

type TurnTraits = Partial<Pick<Traits, "startsQuiet" | "statusOutlivesTurn" | "versions">>;

/**
 * Best first. The screen's busy mark ranks low: it flickers, forks change it, and some programs hide it while a reply
 * streams. A transcript with turn marks outranks it; one with only presumed ends does not.
 */
const ORDER: readonly Source[] = ["program_status", "stream", "title", "session_file", "hook", "transcript", "screen"];
const ORDER_PRESUMED: readonly Source[] = ORDER.map((s) =>
  s === "transcript" ? "screen" : s === "screen" ? "transcript" : s,
);

const NOTHING_LEFT: TurnEvidence["left"] = { background: 0, scheduled: 0, by: "observer", at: 0 };
const FLICKER_MS = 1500;
const BLINK_MS = 3000;
/** A program that does not start quiet may draw its input field and then briefly show as busy while it loads. */
const READY_MS = 3000;

export function createTurn(traits: TurnTraits = {}): TurnEvidence {
  return {
    statuses: {},
    startedAt: null,
    endedAt: null,
    endedBy: null,
    turns: 0,
    interrupted: null,
    askedAt: null,
    prompted: [],
    hasDialog: false,
    titleShowsWork: false,
    byMotion: false,
    motion: createMotion(),
    record: { startAt: null, startBy: null, endAt: null, endBy: null },
    isStreaming: false,
    presumed: false,
    left: NOTHING_LEFT,
    asks: null,
    readyAt: null,
    showedWork: false,
    takesPrompts: false,
    shown: null,
    shownBefore: null,
    leftWords: false,
    isFlicker: false,
    traits,
  };
}

export function takeTurn(turn: TurnEvidence, signal: Signal): void {
  switch (signal.kind) {
    case "status":
      if (signal.status === "clear") delete turn.statuses[signal.source];
      else setStatus(turn, signal.source, TURN_STATUS[signal.status], signal.at);
      if (signal.background !== undefined)
        turn.left = { ...turn.left, background: signal.background, by: signal.source, at: signal.at };
      if (signal.asks) turn.asks = { text: signal.asks, source: signal.source };
      else if (turn.asks?.source === signal.source) turn.asks = null;
      return;
    case "turn":
      if (signal.source === "stream") turn.isStreaming = signal.phase === "start";
      if (signal.phase === "start") {
        if (signal.byUser) turn.askedAt = signal.at;
        turn.presumed = false;
        if (signal.at > turn.left.at) turn.left = NOTHING_LEFT;
        turn.record.startAt = signal.at;
        turn.record.startBy = signal.source;
        setStatus(turn, signal.source, "active", signal.at);
        // A better source that is polled every two seconds misses a shorter turn.
        if (!RUNS.has(turnStatus(turn)?.status)) begin(turn, signal.at);
      } else {
        if (signal.phase === "interrupted") turn.interrupted = { at: signal.at, source: signal.source };
        turn.presumed = signal.presumed ?? false;
        if (signal.background !== undefined || signal.scheduled !== undefined)
          turn.left = {
            background: signal.background ?? 0,
            scheduled: signal.scheduled ?? 0,
            by: signal.source,
            at: signal.at,
          };
        const before = turnStatus(turn);
        if (!signal.presumed) {
          turn.record.endAt = signal.at;
          turn.record.endBy = signal.source;
        }
        setStatus(turn, signal.source, "idle", signal.at, before);
      }
      return;
    case "screen": {
      const { busy, interrupted, moving } = signal.reading;
      // During work, the visible "interrupted" belongs to the previous turn.
      if (interrupted && busy !== true && turn.statuses.screen?.status === "active")
        turn.interrupted = { at: signal.at, source: "screen" };
      takeMotion(turn.motion, signal.reading, signal.at);
      const isGuessed = busy === null || (turn.traits.versions === null && isGuess(turn.motion, signal.reading));
      if (!isGuessed) setStatus(turn, "screen", busy ? "active" : "idle", signal.at);
      // No mark is known: after a request, motion is the only sign of a turn, and its end the only sign of the end.
      else if (turn.askedAt !== null && !signal.reading.dialog)
        setStatus(turn, "screen", moving || isCutOff(turn, signal.reading) ? "active" : "idle", signal.at);
      turn.byMotion = isGuessed;
      turn.hasDialog = signal.reading.dialog !== undefined;
      turn.showedWork ||= showsWork(signal.reading);
      if (hasGivenUp(signal.reading)) turn.presumed = true;
      if (signal.reading.composer !== "hidden" && turnStatus(turn)?.status !== "active") turn.readyAt ??= signal.at;
      turn.takesPrompts = isOpeningDialog(signal.reading)
        ? false
        : turn.takesPrompts || isSettled(turn, signal.reading);
      const before = turnStatus(turn);
      takeWords(turn, signal);
      takeEdge(turn, before, "screen", signal.at);
      return;
    }
    case "input":
      if (!signal.submits) return;
      takePrompt(turn, signal);
      if (!turn.takesPrompts) return;
      turn.askedAt = signal.at;
      askMotion(turn.motion);
      return;
    case "tool_end":
      if (signal.edgeOnly && signal.at > turn.left.at && turn.left.background > 0)
        turn.left = { ...turn.left, background: turn.left.background - 1 };
      return;
    case "exit":
      turn.statuses = {};
      return;
    default:
      return;
  }
}

/**
 * Text left behind proves that a turn took place. A program whose flags rise during loading may resume a conversation
 * and redraw the end of an old turn: there, text on the screen in the first seconds is old, and text alone, possibly a
 * banner, proves nothing.
 */
function takeWords(turn: TurnEvidence, { at, reading }: ScreenSignal): void {
  const { startsQuiet = false } = turn.traits;
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
 * The last text states what stopped the program, and it is at its prompt. A record of the end may follow or not, even
 * from one release of a program to the next.
 */
const hasGivenUp = ({ busy, moving, composer, limit, error }: ScreenReading): boolean =>
  busy === false && !moving && composer !== "hidden" && (limit !== undefined || error !== undefined);

/** Its input field has not returned, and the cursor is at the end of its reply. */
const isCutOff = ({ readyAt }: TurnEvidence, { composer, caret, replying }: ScreenReading): boolean =>
  readyAt !== null && composer === "hidden" && (caret === "text" || caret === "question") && replying === true;

const showsWork = ({ composer, tool, tokens }: ScreenReading): boolean =>
  composer !== "hidden" || tool !== undefined || tokens !== undefined;

/** Enter in such a dialog continues start-up and submits no request. */
const isOpeningDialog = ({ dialog }: ScreenReading): boolean =>
  dialog !== undefined && (dialog.prompt === "trust" || dialog.prompt === "login");

/** An input field is visible. A program without a profile may have none that can be read: there the screen must be still. */
const isSettled = ({ traits }: TurnEvidence, { moving, composer }: ScreenReading): boolean =>
  composer !== "hidden" || (!moving && !traits.versions);

const RUNS: ReadonlySet<TurnStatus | undefined> = new Set<TurnStatus | undefined>(["active", "blocked"]);

const TURN_STATUS = { working: "active", idle: "idle", blocked: "blocked", done: "done", error: "failed" } as const;

function setStatus(
  turn: TurnEvidence,
  source: Source,
  status: TurnStatus,
  at: number,
  before = turnStatus(turn),
): void {
  if (turn.statuses[source]?.status === status) return;
  turn.statuses[source] = { status, at };
  if (source === "title" && status !== "idle") turn.titleShowsWork = true;
  takeEdge(turn, before, source, at);
}

/** Detects whether the new status starts or ends a turn. */
function takeEdge(turn: TurnEvidence, before: TurnReport | null, source: Source, at: number): void {
  const after = turnStatus(turn);
  if (before?.status === "active" && after && after.status !== "active" && after.status !== "blocked") {
    turn.endedAt = at;
    turn.endedBy = { source: after.source, status: after.status };
    // A flicker before or just after the input field appears is start-up, not a turn.
    const isNew = (turn.startedAt ?? 0) - (turn.readyAt ?? at) < READY_MS;
    // Input typed during loading is processed afterwards; a turn of a program with such a flag has a record.
    const isUnasked = turn.record.startAt === null && (turn.askedAt === null || source !== "screen");
    const isShort = isNew && at - (turn.startedAt ?? 0) < FLICKER_MS;
    // A program that does not start quiet may show a spinner for many seconds before its input field.
    const isLoading = source === "screen" && !turn.showedWork && !turn.traits.startsQuiet;
    // A real turn ends in done or error: all 91 flickers of the flag in recordings ended in idle.
    if (after.status === "idle" && isUnasked && (isShort || isLoading)) {
      turn.turns = Math.max(0, turn.turns - 1);
      turn.isFlicker = !isLoading;
    }
  }
  if (after?.status !== "active" || before?.status === "active") return;
  // An answered dialog continues the same turn.
  if (before?.status === "blocked" && turn.startedAt !== null) return;
  if (source === "screen" && isBlink(turn, at)) {
    turn.endedAt = null;
    turn.endedBy = null;
  } else begin(turn, at);
}

const PROMPTED_MAX = 8;

/** Enter in a dialog answers it. */
function takePrompt({ prompted, hasDialog }: TurnEvidence, { by, at }: InputSignal): void {
  if (by === "rouse" || hasDialog || prompted.at(-1)?.by === by) return;
  prompted.push({ by, at });
  if (prompted.length > PROMPTED_MAX) prompted.shift();
}

/** Who gave the prompt of the current or last turn; null if no prompt was typed before it. */
export function promptedBy({ prompted, startedAt }: TurnEvidence): "human" | "client" | null {
  return prompted.findLast(({ at }) => at <= (startedAt ?? Number.POSITIVE_INFINITY))?.by ?? null;
}

/** The screen's mark disappeared briefly without a new request: it is the same turn. */
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

/** The turn was asked for or recorded, or began well after the input field appeared: it is no part of start-up. */
export const isPastStart = ({ askedAt, record, startedAt, readyAt }: TurnEvidence): boolean =>
  askedAt !== null ||
  record.startAt !== null ||
  (startedAt !== null && readyAt !== null && startedAt - readyAt >= READY_MS);

interface TurnReport {
  status: TurnStatus;
  at: number;
  source: Source;
}

/** The status from the best source, and since when. */
export function turnStatus(turn: TurnEvidence): TurnReport | null {
  for (const source of turn.presumed ? ORDER_PRESUMED : ORDER) {
    const known = turn.statuses[source];
    if (!known || (source === "title" && !turn.titleShowsWork)) continue;
    if (source === "program_status" && outlivesTurn(turn, known)) continue;
    return { status: known.status, at: known.at, source };
  }
  // A title that has only ever shown idle may stay so through every turn, so every other source comes first.
  return turn.statuses.title ? { ...turn.statuses.title, source: "title" } : null;
}

/**
 * If the status outlives the turn, the title falls at the end of the turn, and the record then has an end or the screen
 * the last text of the turn.
 */
function outlivesTurn(
  { statuses: { title }, titleShowsWork, record, leftWords, traits }: TurnEvidence,
  flag: Omit<TurnReport, "source">,
): boolean {
  if (!traits.statusOutlivesTurn) return false;
  if (flag.status !== "active" || !titleShowsWork || title?.status !== "idle" || title.at <= flag.at) return false;
  const { startAt, endAt } = record;
  return startAt === null ? leftWords : endAt !== null && endAt > Math.max(flag.at, startAt);
}
