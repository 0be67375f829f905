/** Waits until a resumed session shows its prompt, and nudges it once. */
import type { AgentSession } from "../../core/agent.js";
import type { EffectContext } from "../context.js";
import { Keyboard } from "../keys/keyboard.js";
import { typeNudge } from "../keys/nudge.js";
import { openTerminal } from "../keys/open-terminal.js";
import { type EffectResult, refusedResult, type TerminalSession } from "../keys/terminal-session.js";

const CHECK_MS = 500;
/** Time reserved for the nudge at the end of the action. */
const NUDGE_MS = 30_000;

/** `deadline` is the deadline of the whole action, including the start. */
export async function promptAgain(
  agent: AgentSession,
  context: EffectContext,
  text: string,
  deadline: number,
): Promise<EffectResult> {
  const terminal = openTerminal(agent, context.profileOf(agent.kind));
  if (!terminal) return refusedResult("its terminal cannot be reached");
  const terminalSession: TerminalSession = {
    keyboard: new Keyboard(terminal, () => context.now()),
    now: () => context.now(),
    sleep: (ms) => context.sleep(ms),
    // It has just started: no other source knows it yet.
    turn: () => null,
    quietMs: 0,
    deadline,
  };
  try {
    for (let last = "its prompt did not appear"; ; await context.sleep(CHECK_MS)) {
      const check = await terminalSession.keyboard.check();
      if (check.terminalState?.screenState.dialog) return refusedResult("a dialog is open; nothing was typed");
      const isReady = check.terminalState?.screenState.composer === "empty";
      last = check.terminalState === null ? check.reason : isReady ? "its prompt appeared too late to type" : last;
      if (context.now() >= deadline - NUDGE_MS) return refusedResult(last);
      if (isReady) return await typeNudge(terminalSession, text);
    }
  } finally {
    terminalSession.keyboard.close();
  }
}
