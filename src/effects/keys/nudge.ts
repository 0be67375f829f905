/**
 * Text, a gap, one Enter. Enter is pressed only if the composer contains exactly the text and nothing else has changed.
 * There is never a second Enter.
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
/** A busy machine repaints late: at a load of 20, more than five seconds later. */
const SHOWN_MS = 15_000;
const STARTED_MS = 10_000;

export async function typeNudge(terminalSession: TerminalSession, text: string): Promise<EffectResult> {
  const others = terminalSession.turn();
  if (others === "running") return refusedResult("a turn is running");
  if (others === "asking") return refusedResult("the program is waiting for an answer");
  const idle = { draft: "", turn: "idle", quietMs: terminalSession.quietMs } as const;
  const check = await settledScreen(terminalSession, idle);
  if (typeof check === "string") {
    // An earlier attempt left exactly this text, which is rouse's own.
    const own = await watchScreen(terminalSession, 0, ({ draft }) => draft !== "" && sameText(draft, text));
    return own.isSo ? send(terminalSession, text) : refusedResult(check);
  }
  const typed = await terminalSession.keyboard.press(check, { kind: "text", text }, idle);
  if (typed.result === "refused") return refusedResult(typed.reason);
  if (typed.result === "unknown")
    return unknownResult(`${typed.reason}; the text may be in the composer, Enter was not pressed`);

  const shown = await watchScreen(terminalSession, SHOWN_MS, ({ draft }) => sameText(draft, text));
  if (!shown.isSo) return left(shown.reason || "the typed text is not visible in the composer");
  return send(terminalSession, text);
}

/** The text is in the composer. */
async function send(terminalSession: TerminalSession, text: string): Promise<EffectResult> {
  await terminalSession.sleep(GAP_MS);
  const entered = await submit(terminalSession, text);
  if (entered.result === "refused") return takeBack(terminalSession, text, entered.reason);
  if (entered.result === "unknown") return unknownResult(`${entered.reason}; the text is in the composer or was sent`);
  return prove(terminalSession, text);
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
async function takeBack(terminalSession: TerminalSession, text: string, why: string): Promise<EffectResult> {
  const precondition = { draft: text, turn: "idle", quietMs: terminalSession.quietMs } as const;
  const erased = await pressOn(terminalSession, { kind: "erase", chars: text.length }, precondition);
  if (erased.result !== "pressed") return left(why);
  const gone = await watchScreen(terminalSession, SHOWN_MS, ({ composer }) => composer === "empty");
  if (gone.isSo) return refusedResult(`${why}; the typed text was erased`);
  return failedResult(`${why}; Enter was not pressed, and it is unclear whether the typed text was erased`);
}

const left = (why: string): EffectResult => failedResult(`${why}; Enter was not pressed, the text was left in place`);

async function prove(terminalSession: TerminalSession, text: string): Promise<EffectResult> {
  const started = await watchScreen(
    terminalSession,
    STARTED_MS,
    (screenState) => isRunning(screenState) || terminalSession.turn() === "running",
  );
  if (started.isSo) return doneResult("typed and sent; a turn started", true);
  const screenState = started.check?.terminalState.screenState;
  if (screenState && sameText(screenState.draft, text))
    return failedResult("Enter had no effect: the text is still in the composer");
  return doneResult(`typed and sent; ${started.reason || "no turn has started yet"}`, null);
}
