/** Presses the program's own keys that end a turn (Esc; twice in OpenCode), each after its own screen check. */
import { isRunning } from "../../core/policy/typing-checks.js";
import type { PressResult } from "./terminal.js";
import {
  doneResult,
  type EffectResult,
  failedResult,
  refusedResult,
  SCREEN_RECHECK_MS,
  type TerminalSession,
  unknownResult,
  watchScreen,
} from "./terminal-session.js";

/** A running turn repaints, so a screen check can be outdated: it is repeated a few times. */
const TRIES = 6;
/** Between two keys: time for the program to ask for the second key. OpenCode forgets the first after 5 s. */
const BETWEEN_MS = 400;
const ENDED_MS = 10_000;
/** A turn that ended stays ended; between two tools no mark is drawn for a moment. */
const STAYS_MS = 700;

export async function interruptTurn(terminalSession: TerminalSession, presses: number): Promise<EffectResult> {
  if (presses === 0) return refusedResult("the program has no key that ends a turn");
  if (terminalSession.turn() === "asking") return refusedResult("the program is waiting for an answer");
  let queued = false;
  for (let press = 0; press < presses; press++) {
    if (press > 0) await terminalSession.sleep(BETWEEN_MS);
    const pressed = await pressOnce(terminalSession, press);
    queued ||= pressed.queued;
    if (pressed.result === "unknown") return unknownResult(pressed.reason);
    if (pressed.result === "pressed") continue;
    if (press === 0) return refusedResult(pressed.reason);
    // The first key was enough, or a dialog opened that a second key would answer.
    if (!pressed.isOver) return failedResult(`${pressed.reason} after ${press} of ${presses} keys`);
    break;
  }
  return prove(terminalSession, queued ? "; a queued message was sent" : "");
}

async function pressOnce(
  terminalSession: TerminalSession,
  press: number,
): Promise<PressResult & { queued: boolean; isOver: boolean }> {
  const running = { draft: "", turn: "running", quietMs: terminalSession.quietMs } as const;
  let last: PressResult & { queued: boolean; isOver: boolean } = {
    result: "refused",
    reason: "timed out",
    queued: false,
    isOver: false,
  };
  for (let tries = 0; tries < TRIES && terminalSession.now() < terminalSession.deadline; tries++) {
    if (tries > 0) await terminalSession.sleep(SCREEN_RECHECK_MS);
    const check = await terminalSession.keyboard.check();
    if (check.terminalState === null) return { result: "refused", reason: check.reason, queued: false, isOver: false };
    const { screenState } = check.terminalState;
    const pressed = await terminalSession.keyboard.press(check, { kind: "interrupt", press }, running);
    last = { ...pressed, queued: screenState.queued, isOver: !isRunning(screenState) };
    if (pressed.result !== "refused" || last.isOver || screenState.dialog !== null) return last;
  }
  return last;
}

async function prove(terminalSession: TerminalSession, also: string): Promise<EffectResult> {
  const end = Math.min(terminalSession.now() + ENDED_MS, terminalSession.deadline);
  while (terminalSession.now() < end) {
    const ended = await watchScreen(
      terminalSession,
      end - terminalSession.now(),
      (screenState) => !isRunning(screenState),
    );
    if (ended.check === null) return doneResult(`interrupted; ${ended.reason}${also}`, null);
    if (!ended.isSo) break;
    await terminalSession.sleep(STAYS_MS);
    const check = await terminalSession.keyboard.check();
    if (check.terminalState !== null && !isRunning(check.terminalState.screenState))
      return doneResult(`interrupted; the turn ended${also}`, true);
    // A queued message starts its own turn: the old turn ended.
    if (also !== "") return doneResult(`interrupted; the turn ended${also}`, true);
  }
  return failedResult("interrupted, but the turn is still running");
}
