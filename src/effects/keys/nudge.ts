/**
 * Text, a gap, one Enter. Enter is pressed only if the composer contains exactly the text and nothing else has changed.
 * A second Enter needs a new attempt: the text is erased, the composer is seen empty, and all checks are made again.
 */
import { isRunning, sameText } from "../../core/policy/typing-checks.js";
import type { PressResult } from "./terminal.js";
import {
  doneResult,
  type EffectResult,
  failedResult,
  pressOn,
  refusedResult,
  settledScreen,
  type TerminalSession,
  unknownResult,
  watchScreen,
} from "./terminal-session.js";

/** Programs treat bytes that arrive together as a paste, and Enter in a paste as a line end. */
const GAP_MS = 300;
/** A longer text is typed in pieces, each seen before the next: a program replaces a long paste by a placeholder. */
const PIECE_CHARS = 200;
/** A busy machine repaints late: at a load of 20, more than five seconds later. */
const SHOWN_MS = 15_000;
const STARTED_MS = 10_000;

export interface TypedResult extends EffectResult {
  /** Nothing was submitted and the composer is empty: the text may be typed again. */
  isRepeatable?: boolean;
}

/** `isDraft`: Enter is not pressed. */
export async function typeNudge(terminalSession: TerminalSession, text: string, isDraft = false): Promise<TypedResult> {
  const others = terminalSession.turn();
  if (others === "running") return refusedResult("a turn is running");
  if (others === "asking") return refusedResult("the program is waiting for an answer");
  const objection = await typePieces(terminalSession, text);
  if (objection !== null) return objection;
  if (isDraft) return doneResult("typed; Enter was not pressed", true);
  await terminalSession.sleep(GAP_MS);
  const startedBefore = terminalSession.turnStartedAt?.() ?? null;
  const entered = await submit(terminalSession, text);
  if (entered.result === "refused") return takeBack(terminalSession, text, entered.reason, refusedResult);
  if (entered.result === "unknown") return unknownResult(`${entered.reason}; the text is in the composer or was sent`);
  return prove(terminalSession, text, startedBefore);
}

/** Null if the whole text is in the composer. */
async function typePieces(terminalSession: TerminalSession, text: string): Promise<TypedResult | null> {
  const idle = { draft: "", turn: "idle", quietMs: terminalSession.quietMs } as const;
  const check = await settledScreen(terminalSession, idle);
  if (typeof check === "string") {
    // An earlier attempt left exactly this text, which is rouse's own.
    const own = await watchScreen(terminalSession, 0, ({ draft }) => draft !== "" && sameText(draft, text));
    return own.isSo ? null : refusedResult(check);
  }
  let typed = "";
  for (const piece of piecesOf(text)) {
    const keys = { kind: "text", text: piece } as const;
    const pressed =
      typed === ""
        ? await terminalSession.keyboard.press(check, keys, idle)
        : await pressOn(terminalSession, keys, { ...idle, draft: typed });
    if (pressed.result === "refused")
      return typed === ""
        ? refusedResult(pressed.reason)
        : takeBack(terminalSession, typed, pressed.reason, refusedResult);
    if (pressed.result === "unknown")
      return unknownResult(`${pressed.reason}; the text may be in the composer, Enter was not pressed`);
    typed += piece;
    const shown = await watchScreen(terminalSession, SHOWN_MS, ({ draft }) => sameText(draft, typed));
    if (shown.isSo) continue;
    const composer = shown.check?.terminalState.screenState.composer;
    if (composer === "empty" && typed === piece)
      return {
        ...failedResult("the typed text did not appear in the composer; Enter was not pressed"),
        isRepeatable: true,
      };
    return left(shown.reason || "the typed text is not visible in the composer");
  }
  return null;
}

function piecesOf(text: string): string[] {
  const chars = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < chars.length; at += PIECE_CHARS) pieces.push(chars.slice(at, at + PIECE_CHARS).join(""));
  return pieces;
}

function submit(terminalSession: TerminalSession, text: string): Promise<PressResult> {
  const precondition = { draft: text, turn: "idle", quietMs: terminalSession.quietMs } as const;
  return pressOn(terminalSession, { kind: "submit" }, precondition, () => {
    const others = terminalSession.turn();
    if (others === "running" || others === "asking") return "the agent became busy";
    return terminalSession.now() >= terminalSession.deadline ? "timed out" : null;
  });
}

/** Erases only rouse's own text, only if exactly that is visible, and under the same conditions as any key. */
async function takeBack(
  terminalSession: TerminalSession,
  text: string,
  why: string,
  resultOf: (reason: string) => EffectResult,
): Promise<TypedResult> {
  const precondition = { draft: text, turn: "idle", quietMs: terminalSession.quietMs } as const;
  const erased = await pressOn(terminalSession, { kind: "erase", chars: text.length }, precondition);
  if (erased.result !== "pressed") return left(why);
  const gone = await watchScreen(terminalSession, SHOWN_MS, ({ composer }) => composer === "empty");
  if (gone.isSo) return { ...resultOf(`${why}; the typed text was erased`), isRepeatable: true };
  return failedResult(`${why}; Enter was not pressed, and it is unclear whether the typed text was erased`);
}

const left = (why: string): EffectResult => failedResult(`${why}; Enter was not pressed, the text was left in place`);

async function prove(
  terminalSession: TerminalSession,
  text: string,
  startedBefore: number | null,
): Promise<TypedResult> {
  const hasRecord = (): boolean => (terminalSession.turnStartedAt?.() ?? 0) > (startedBefore ?? 0);
  const startedWithin = (ms: number): ReturnType<typeof watchScreen> =>
    watchScreen(
      terminalSession,
      ms,
      (state) => isRunning(state) || terminalSession.turn() === "running" || hasRecord(),
    );
  const started = await startedWithin(STARTED_MS);
  if (started.isSo) return doneResult("typed and sent; a turn started", true);
  const screenState = started.check?.terminalState.screenState;
  if (screenState && sameText(screenState.draft, text)) {
    const erased = await takeBack(terminalSession, text, "Enter had no effect", failedResult);
    // Keys are read in order: an Enter that was only read late has started its turn by now.
    const isLate = erased.isRepeatable === true && (await startedWithin(GAP_MS)).isSo;
    return isLate ? doneResult("typed and sent; a turn started", true) : erased;
  }
  return doneResult(`typed and sent; ${started.reason || "no turn has started yet"}`, null);
}
