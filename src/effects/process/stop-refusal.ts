/** What came up since it was decided to end something of an agent: asked once more, right before. */
import type { AgentSession } from "../../core/agent.js";
import type { State } from "../../core/states.js";
import type { EffectContext } from "../context.js";
import { openTerminal, quietFor } from "../keys/open-terminal.js";

/** Nothing is ended of one who does one of these. */
const WELL: ReadonlySet<State> = new Set<State>(["working", "waiting", "starting"]);

export const stopRefusal = async (agent: AgentSession, context: EffectContext): Promise<string | null> =>
  recoveredSince(agent, context) ?? (await isInUse(agent, context));

/** Confirms that it is still as bad as it was decided on. */
export function recoveredSince(agent: AgentSession, context: EffectContext): string | null {
  const now = context.assessment(agent.id);
  return now && WELL.has(now.state) ? `it is ${now.state} now: ${now.reasons[0] ?? ""}` : null;
}

/**
 * What stands against an order to end it: only a user who types at this moment. An agent that waits for an answer is ended,
 * and so is one whose terminal cannot be read, as `rouse stop` does.
 */
export async function orderObjection(agent: AgentSession, context: EffectContext): Promise<string | null> {
  const terminal = openTerminal(agent, context.profileOf(agent.kind));
  if (!terminal) return null;
  try {
    const { terminalState } = await terminal.check();
    return terminalState === null ? null : typedJustNow(terminalState.quietMs, agent, context);
  } finally {
    terminal.close();
  }
}

/** Somebody has to do with it just now, or nobody can see whether; null when it may be ended. Nobody types into pipes. */
async function isInUse(agent: AgentSession, context: EffectContext): Promise<string | null> {
  const terminal = openTerminal(agent, context.profileOf(agent.kind));
  if (!terminal) return "its terminal cannot be reached";
  try {
    const check = await terminal.check();
    if (check.terminalState === null) return check.isPiped ? null : `its terminal cannot be seen: ${check.reason}`;
    const { screenState, quietMs } = check.terminalState;
    if (screenState.dialog !== null || screenState.says === "blocked") return "it waits for an answer";
    return typedJustNow(quietMs, agent, context);
  } finally {
    terminal.close();
  }
}

const typedJustNow = (quietMs: number, agent: AgentSession, context: EffectContext): string | null =>
  quietMs < quietFor(agent, context) ? `somebody typed ${Math.floor(quietMs / 1000)} s ago` : null;
