/** Waits until a resumed session shows its prompt, and nudges it once. */
import type { AgentSession } from "../../core/agent.js";
import type { EffectContext } from "../context.js";
import { giveText } from "../keys/give-text.js";
import { Keyboard } from "../keys/keyboard.js";
import { openTerminal, typingOf } from "../keys/open-terminal.js";
import { type EffectResult, refusedResult } from "../keys/terminal-session.js";

/** Time reserved for the nudge at the end of the action. */
const NUDGE_MS = 30_000;

/** `deadline` is the deadline of the whole action, including the start. */
export async function promptAgain(
  agent: AgentSession,
  context: EffectContext,
  text: string,
  deadline: number,
): Promise<EffectResult> {
  const terminal = openTerminal(agent, context.profileOf(agent.kind), typingOf(agent, context, "rouse"));
  if (!terminal) return refusedResult("its terminal cannot be reached");
  const keyboard = new Keyboard(terminal, () => context.now());
  const terminalSession = {
    keyboard,
    now: () => context.now(),
    sleep: (ms: number) => context.sleep(ms),
    // It has just started: no other source knows it yet.
    turn: () => null,
    quietMs: 0,
    deadline,
  };
  try {
    return await giveText(terminalSession, text, { readyBy: deadline - NUDGE_MS });
  } finally {
    keyboard.close();
  }
}
