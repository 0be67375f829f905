/** The terminal of an agent, and the required time without user input. */

import type { AgentSession } from "../../core/agent.js";
import { PRESENT_MS } from "../../core/policy/facts.js";
import type { InputSignal } from "../../core/signal.js";
import type { AgentProfile } from "../../programs/shared/profile.js";
import type { TypedBy } from "../../terminal/frames.js";
import type { EffectContext } from "../context.js";
import { HostTerminal } from "./host-terminal.js";
import type { Terminal, Typing } from "./terminal.js";
import { TmuxTerminal } from "./tmux-terminal.js";

export const quietFor = ({ origin }: AgentSession, { quietMs }: EffectContext): number => quietMs ?? PRESENT_MS[origin];

export const typingOf = (agent: AgentSession, { typed }: EffectContext, by: TypedBy): Typing => ({
  by,
  ...(typed ? { typed: (signal: InputSignal) => typed(agent.id, signal) } : {}),
});

/** Null if rouse cannot reach it. */
export function openTerminal(
  agent: AgentSession,
  profile: AgentProfile,
  typing: Typing = { by: "rouse" },
): Terminal | null {
  if (agent.hostSocket !== null) return new HostTerminal(agent.hostSocket, typing.by) as Terminal;
  return agent.pane ? (new TmuxTerminal(agent, profile, { typing }) as Terminal) : null;
}
