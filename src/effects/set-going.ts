/** A session that was taken up again stands at its prompt: waits until it does, and nudges it once. */
import type { AgentSession } from "../core/agent.js";
import type { EffectContext } from "./context.js";
import { Hand } from "./hand.js";
import { nudge } from "./nudge.js";
import { openTerminal } from "./open-terminal.js";
import { type Reach, type Result, refusedResult } from "./reach.js";

const LOOK_MS = 500;
/** What the nudge itself may take at the end of the action's time. */
const NUDGE_MS = 30_000;

/** `deadline` is that of the whole action, of which coming up took its part: whoever waits for it waits no longer. */
export async function setGoing(
  agent: AgentSession,
  context: EffectContext,
  text: string,
  deadline: number,
): Promise<Result> {
  const terminal = openTerminal(agent, context.profileOf(agent.kind));
  if (!terminal) return refusedResult("it cannot be reached to be set going");
  const reach: Reach = {
    hand: new Hand(terminal, () => context.now()),
    now: () => context.now(),
    sleep: (ms) => context.sleep(ms),
    // It has only just begun: nothing else knows of it yet.
    turn: () => null,
    quietMs: 0,
    deadline,
  };
  try {
    for (let last = "it does not come up"; ; await context.sleep(LOOK_MS)) {
      const look = await reach.hand.look();
      if (look.terminalState?.screenState.dialog) return refusedResult("it asks something; nothing was typed");
      const isReady = look.terminalState?.screenState.composer === "empty";
      last = look.terminalState === null ? look.reason : isReady ? "it came up too late to be told anything" : last;
      if (context.now() >= deadline - NUDGE_MS) return refusedResult(last);
      if (isReady) return await nudge(reach, text);
    }
  } finally {
    reach.hand.close();
  }
}
