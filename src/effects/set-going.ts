/** A session that was taken up again stands at its prompt: waits until it does, and nudges it once. */
import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import { Hand } from "./hand.js";
import { nudge } from "./nudge.js";
import { openTerminal } from "./open-terminal.js";
import { type Reach, type Result, refused } from "./reach.js";
import type { EffectWorld } from "./world.js";

const LOOK_MS = 500;
/** What the nudge itself may take at the end of the action's time. */
const NUDGE_MS = 30_000;

export async function setGoing(action: Action, agent: AgentSession, world: EffectWorld, text: string): Promise<Result> {
  const terminal = openTerminal(agent, world.profileOf(agent.kind));
  if (!terminal) return refused("it cannot be reached to be set going");
  const deadline = world.now() + action.deadlineMs;
  const reach: Reach = {
    hand: new Hand(terminal, () => world.now()),
    now: () => world.now(),
    sleep: (ms) => world.sleep(ms),
    // It has only just begun: nothing else knows of it yet.
    turn: () => null,
    quietMs: 0,
    deadline,
  };
  try {
    for (let last = "it does not come up"; ; await world.sleep(LOOK_MS)) {
      const look = await reach.hand.look();
      if (look.sight === null) last = look.reason;
      else if (look.sight.glance.dialog !== null) return refused("it asks something; nothing was typed");
      else if (look.sight.glance.composer === "empty") return await nudge(reach, text);
      if (world.now() >= deadline - NUDGE_MS) return refused(last);
    }
  } finally {
    reach.hand.close();
  }
}
