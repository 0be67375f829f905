/** A session that was taken up again stands at its prompt: waits until it does, and nudges it once. */
import type { AgentSession } from "../../core/agent.js";
import type { EffectContext } from "../context.js";
import { Keyboard } from "../keys/keyboard.js";
import { typeNudge } from "../keys/nudge.js";
import { openTerminal } from "../keys/open-terminal.js";
import { type EffectResult, refusedResult, type TerminalSession } from "../keys/terminal-session.js";

const CHECK_MS = 500;
/** What the nudge itself may take at the end of the action's time. */
const NUDGE_MS = 30_000;

/** `deadline` is that of the whole action, of which coming up took its part: whoever waits for it waits no longer. */
export async function promptAgain(
  agent: AgentSession,
  context: EffectContext,
  text: string,
  deadline: number,
): Promise<EffectResult> {
  const terminal = openTerminal(agent, context.profileOf(agent.kind));
  if (!terminal) return refusedResult("it cannot be reached to be set going");
  const terminalSession: TerminalSession = {
    keyboard: new Keyboard(terminal, () => context.now()),
    now: () => context.now(),
    sleep: (ms) => context.sleep(ms),
    // It has only just begun: nothing else knows of it yet.
    turn: () => null,
    quietMs: 0,
    deadline,
  };
  try {
    for (let last = "it does not come up"; ; await context.sleep(CHECK_MS)) {
      const check = await terminalSession.keyboard.check();
      if (check.terminalState?.screenState.dialog) return refusedResult("it asks something; nothing was typed");
      const isReady = check.terminalState?.screenState.composer === "empty";
      last = check.terminalState === null ? check.reason : isReady ? "it came up too late to be told anything" : last;
      if (context.now() >= deadline - NUDGE_MS) return refusedResult(last);
      if (isReady) return await typeNudge(terminalSession, text);
    }
  } finally {
    terminalSession.keyboard.close();
  }
}
