/** The context and shared steps of all terminal effects. */
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
  /** The turn according to all other sources; null if unknown. */
  turn: () => "running" | "idle" | "asking" | null;
  /** When the last turn started according to all other sources; null if unknown. */
  turnStartedAt?: () => number | null;
  /** A user who typed within this time has the keyboard. */
  quietMs: number;
  /** Nothing is started after this time. */
  deadline: number;
}

/** The result; the caller adds the time and the intent. */
export interface EffectResult {
  result: OutcomeResult;
  reason: string;
  proven: boolean | null;
  /** See `ActionOutcome`. */
  details?: readonly string[];
}

export const refusedResult = (reason: string): EffectResult => ({ result: "refused", reason, proven: null });
export const failedResult = (reason: string): EffectResult => ({ result: "failed", reason, proven: false });
export const unknownResult = (reason: string): EffectResult => ({ result: "unknown", reason, proven: null });
export const doneResult = (reason: string, proven: boolean | null): EffectResult => ({
  result: "done",
  reason,
  proven,
});

/** A frame can be torn: two checks, this far apart, must agree. */
const AGREE_MS = 250;
const CHECKS_MAX = 12;
export const SCREEN_RECHECK_MS = 150;

/**
 * A screen check without an objection that equals the check before it. A moving screen is checked a few times; an objection
 * is final.
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
  return "the screen keeps changing";
}

/** Checks the screen until the condition holds or time is up. Returns the last check, null if the screen could not be read. */
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
 * Presses a key after its own screen check. At a load of 20 a check took more than two seconds and was too old to use;
 * nothing was pressed, so the check is repeated. `objection` is an additional check.
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
