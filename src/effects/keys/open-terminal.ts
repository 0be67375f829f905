/** The terminal of an agent, and the required time without user input. */

import type { AgentSession } from "../../core/agent.js";
import type { AgentProfile } from "../../programs/shared/profile.js";
import type { EffectContext } from "../context.js";
import { HostTerminal } from "./host-terminal.js";
import type { Terminal } from "./terminal.js";
import { TmuxTerminal } from "./tmux-terminal.js";

/** Users sit in front of their own terminals; a spawned agent has a user only while one is attached. */
const QUIET_MS: Readonly<Record<AgentSession["origin"], number>> = {
  run: 120_000,
  tmux: 60_000,
  spawn: 20_000,
  transcript: Number.POSITIVE_INFINITY,
};

export const quietFor = ({ origin }: AgentSession, { quietMs }: EffectContext): number => quietMs ?? QUIET_MS[origin];

/** Null if rouse cannot reach it. */
export function openTerminal(agent: AgentSession, profile: AgentProfile): Terminal | null {
  if (agent.hostSocket !== null) return new HostTerminal(agent.hostSocket) as Terminal;
  return agent.pane ? (new TmuxTerminal(agent, profile) as Terminal) : null;
}
