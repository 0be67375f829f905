/**
 * Gives a text to a program: waits until it is ready for input, types, submits, and confirms that it was accepted. A nudge
 * types in the same way and does not wait.
 */
import { refuseReason, type ScreenState } from "../../core/policy/typing-checks.js";
import { type TypedResult, typeNudge } from "./nudge.js";
import {
  doneResult,
  type EffectResult,
  failedResult,
  pressOn,
  refusedResult,
  settledScreen,
  type TerminalSession,
  unknownResult,
} from "./terminal-session.js";

export interface GiveOptions {
  /** The program has to be ready by then. */
  readyBy: number;
  /** Leave the text in the composer. */
  isDraft?: boolean;
}

const CHECK_MS = 500;
/** What only a user can change has to last this long: a screen that loads may look like anything for a moment. */
const BLOCKED_MS = 2000;
/** A program that draws its composer before it reads its keys loses the text, or the Enter. */
const ATTEMPTS_MAX = 3;
const GAP_MS = 300;

export async function giveText(
  terminalSession: TerminalSession,
  text: string,
  { readyBy, isDraft = false }: GiveOptions,
): Promise<EffectResult> {
  const from = terminalSession.now();
  for (let attempt = 1; ; attempt++) {
    const objection = await waitUntilReady(terminalSession, from, readyBy);
    if (objection !== null) return refusedResult(objection);
    const typed = await typeNudge(terminalSession, text, isDraft);
    const isOver = terminalSession.now() >= readyBy || attempt === ATTEMPTS_MAX;
    if (isOver || !canRepeat(typed)) return resultOf(typed);
  }
}

/** A refusal after the program was ready is a screen that changed meanwhile. */
const canRepeat = ({ result, isRepeatable }: TypedResult): boolean => result === "refused" || isRepeatable === true;

const resultOf = ({ result, reason, proven }: TypedResult): EffectResult => ({ result, reason, proven });

/** Why the program is not ready for input, and what to do; null if it is. */
async function waitUntilReady(terminalSession: TerminalSession, from: number, readyBy: number): Promise<string | null> {
  let blockedAt: number | null = null;
  for (;;) {
    const check = await terminalSession.keyboard.check();
    const now = terminalSession.now();
    const { terminalState } = check;
    if (terminalState === null && check.isPiped) return check.reason;
    const blocked = terminalState === null ? null : blockOf(terminalSession, terminalState.screenState);
    blockedAt = blocked === null ? null : (blockedAt ?? now);
    const objection =
      terminalState === null
        ? check.reason
        : (blocked ??
          (terminalSession.turn() === "running" ? "a turn is running" : null) ??
          refuseReason(terminalState, {
            draft: "",
            turn: "idle",
            quietMs: terminalSession.quietMs,
            composerDigest: terminalState.screenState.composerDigest,
          }));
    if (objection === null) return null;
    if (blockedAt !== null && now - blockedAt >= BLOCKED_MS) return objection;
    if (readyBy <= from) return objection;
    if (now >= readyBy)
      return `not ready for input within ${Math.round((now - from) / 1000)} s: ${objection}; try again, or wait longer`;
    await terminalSession.sleep(CHECK_MS);
  }
}

/** Only a user can change it. */
function blockOf(terminalSession: TerminalSession, { dialog, says, composer }: ScreenState): string | null {
  if (dialog !== null) return `a dialog is open (${dialog}); a user has to answer it (\`rouse go\`)`;
  if (says === "blocked" || terminalSession.turn() === "asking")
    return "the program is waiting for an answer; a user has to give it (`rouse attach`)";
  return composer === "draft" ? "the composer contains a draft; send or clear it first (`rouse attach`)" : null;
}

/** For a program without a profile: its composer cannot be read, so nothing can be confirmed. */
export async function giveUnseen(
  terminalSession: TerminalSession,
  text: string,
  { isDraft = false }: Pick<GiveOptions, "isDraft">,
): Promise<EffectResult> {
  const any = { draft: "", turn: "unknown", quietMs: terminalSession.quietMs } as const;
  const check = await settledScreen(terminalSession, any);
  if (typeof check === "string") return refusedResult(check);
  const typed = await terminalSession.keyboard.press(check, { kind: "text", text }, any);
  if (typed.result === "refused") return refusedResult(typed.reason);
  if (typed.result === "unknown") return unknownResult(typed.reason);
  if (isDraft) return doneResult(`typed; ${UNCONFIRMED}`, null);
  await terminalSession.sleep(GAP_MS);
  const entered = await pressOn(terminalSession, { kind: "submit" }, any);
  if (entered.result === "refused") return failedResult(`${entered.reason}; the text was typed, Enter was not pressed`);
  if (entered.result === "unknown") return unknownResult(entered.reason);
  return doneResult(`sent; ${UNCONFIRMED}`, null);
}

const UNCONFIRMED = "rouse has no profile for this program and cannot confirm that it was accepted";
