/** What the effects need from their caller. */

import type { RousePaths } from "../config/paths.js";
import type { Action } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import type { Assessment } from "../core/judgement/assess.js";
import type { Evidence } from "../core/judgement/evidence/state.js";
import type { InputSignal } from "../core/signal.js";
import type { AgentProfile } from "../programs/shared/profile.js";
import type { EffectClock } from "./keys/terminal-session.js";
import type { Environments } from "./start/environments.js";

export interface StartContext {
  environments: Environments;
  /** The script of the host process of a spawned agent. */
  hostScript: string;
}

/** Another running watched session, and its open conversation. */
export interface OpenSession extends Pick<AgentSession, "name" | "pid" | "pidStart"> {
  conversation: string | null;
  transcript: string | null;
}

export interface EffectContext extends EffectClock {
  paths: RousePaths;
  /** The profile of a program, including the user's own profiles. */
  profileOf(kind: string): AgentProfile;
  /** The current evidence of a session; null if it is not watched. */
  evidence(session: string): Evidence | null;
  /** The current assessment, checked before a stop; null skips the check. */
  assessment(session: string): Assessment | null;
  /** A user or client ordered it: a stop is final, while a policy continues with the next step. */
  isOrder?: boolean;
  /** The user's own text of a nudge; null for rouse's. */
  nudgeText?: (action: Action) => string | null;
  /** Called with the keys that rouse typed into a terminal without a host. */
  typed?: (session: string, signal: InputSignal) => void;
  /** Path of the session's transcript; null if unknown. */
  transcript(session: string): string | null;
  /** The other watched sessions: a conversation that one of them has open is not resumed. */
  others(session: string): readonly OpenSession[];
  /** Context for starting an agent; without it no agent is started. */
  starting?: StartContext;
  /** Required time without user input before rouse types; a default per origin if not set. */
  quietMs?: number;
}
