/** Checks right before a stop whether the situation has changed since the decision. */
import type { AgentSession } from "../../core/agent.js";
import type { State } from "../../core/states.js";
import { joinSentences } from "../../core/text/sentences.js";
import type { EffectContext } from "../context.js";
import { openTerminal, quietFor } from "../keys/open-terminal.js";

/** An agent in one of these states is not stopped. */
const WELL: ReadonlySet<State> = new Set<State>(["working", "waiting", "starting"]);

export const checkStop = async (agent: AgentSession, context: EffectContext): Promise<string | null> =>
  checkNotRecovered(agent, context) ?? (await checkNotInUse(agent, context));

/** Checks that the agent has not recovered since the decision. */
export function checkNotRecovered(agent: AgentSession, context: EffectContext): string | null {
  const now = context.assessment(agent.id);
  return now && WELL.has(now.state) ? joinSentences([`it is ${now.state} now`, now.reasons[0]]) : null;
}

/** Why a user may be using it, or that this cannot be seen; null if it may be stopped. Pipes have no user input. */
async function checkNotInUse(agent: AgentSession, context: EffectContext): Promise<string | null> {
  const terminal = openTerminal(agent, context.profileOf(agent.kind));
  if (!terminal) return "its terminal cannot be reached";
  try {
    const check = await terminal.check();
    if (check.terminalState === null) return check.isPiped ? null : `its terminal cannot be read: ${check.reason}`;
    const { screenState, quietMs } = check.terminalState;
    if (screenState.dialog !== null || screenState.says === "blocked") return "it is waiting for an answer";
    return quietMs < quietFor(agent, context) ? `a user typed ${Math.floor(quietMs / 1000)} s ago` : null;
  } finally {
    terminal.close();
  }
}
