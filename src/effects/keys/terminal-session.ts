/** What every effect on a terminal works with, and the few moves that they share. */
import type { OutcomeResult } from "../../core/action.js";
import { type Keys, type Precondition, refuseReason, type ScreenState } from "../../core/policy/typing-checks.js";
import { type Keyboard, type ScreenTicket, TOO_OLD } from "./keyboard.js";
import type { PressResult } from "./terminal.js";

export interface EffectClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface TerminalSession extends EffectClock {
  keyboard: Keyboard;
  /** What all other sources say of the turn; null when they say nothing. */
  turn: () => "running" | "idle" | "asking" | null;
  /** A human who typed so lately has the keyboard. */
  quietMs: number;
  /** Nothing is begun after this. */
  deadline: number;
}

/** What became of it; the caller adds when, and of which intent. */
export interface EffectResult {
  result: OutcomeResult;
  reason: string;
  proven: boolean | null;
}

export const refusedResult = (reason: string): EffectResult => ({ result: "refused", reason, proven: null });
export const failedResult = (reason: string): EffectResult => ({ result: "failed", reason, proven: false });
export const unknownResult = (reason: string): EffectResult => ({ result: "unknown", reason, proven: null });
export const doneResult = (reason: string, proven: boolean | null): EffectResult => ({
  result: "done",
  reason,
  proven,
});

/** A frame can be torn: two looks, so far apart, have to agree on everything that matters. */
const AGREE_MS = 250;
const CHECKS_MAX = 12;
export const SCREEN_RECHECK_MS = 150;

/**
 * A look to which nobody objects, and the one before it said the same. A screen that moves is looked at a few times; an
 * objection is final, since it can only be right.
 */
export async function settledScreen(
  terminalSession: TerminalSession,
  precondition: Omit<Precondition, "composerDigest">,
): Promise<ScreenTicket | string> {
  let before: ScreenState | null = null;
  for (let checks = 0; checks < CHECKS_MAX && terminalSession.now() < terminalSession.deadline; checks++) {
    if (checks > 0) await terminalSession.sleep(AGREE_MS);
    const check = await terminalSession.keyboard.check();
    if (check.terminalState === null) return check.reason;
    const { screenState } = check.terminalState;
    const objection = refuseReason(check.terminalState, {
      ...precondition,
      composerDigest: screenState.composerDigest,
    });
    if (objection !== null) return objection;
    if (before && JSON.stringify(before) === JSON.stringify(screenState)) return check;
    before = screenState;
  }
  return "the screen does not come to rest";
}

/** Looks until something is so, or time is up: the last look then, which is null when nothing could be seen. */
export async function watchScreen(
  terminalSession: TerminalSession,
  forMs: number,
  isSo: (screenState: ScreenState) => boolean,
): Promise<{ isSo: boolean; check: ScreenTicket | null; reason: string }> {
  const end = Math.min(terminalSession.now() + forMs, terminalSession.deadline);
  for (;;) {
    const check = await terminalSession.keyboard.check();
    if (check.terminalState === null) return { isSo: false, check: null, reason: check.reason };
    if (isSo(check.terminalState.screenState)) return { isSo: true, check, reason: "" };
    if (terminalSession.now() >= end) return { isSo: false, check, reason: "" };
    await terminalSession.sleep(SCREEN_RECHECK_MS);
  }
}

const LATE_CHECKS_MAX = 4;

/**
 * A key on a look of its own. On a machine with a load of 20 a look took more than two seconds and was too old when it
 * came: nothing was pressed then, so it is taken again, and everything is asked again. `objection` is what else stands against it.
 */
export async function pressOn(
  terminalSession: TerminalSession,
  keys: Keys,
  precondition: Omit<Precondition, "composerDigest">,
  objection: () => string | null = () => null,
): Promise<PressResult> {
  for (let checks = 1; ; checks++) {
    const against = objection();
    if (against !== null) return { result: "refused", reason: against };
    const check = await terminalSession.keyboard.check();
    if (check.terminalState === null) return { result: "refused", reason: check.reason };
    const pressed = await terminalSession.keyboard.press(check, keys, precondition);
    if (pressed.result !== "refused" || pressed.reason !== TOO_OLD || checks === LATE_CHECKS_MAX) return pressed;
  }
}
