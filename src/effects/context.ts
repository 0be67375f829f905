/** What the effects need of whoever has them carried out. */

import type { RousePaths } from "../config/paths.js";
import type { AgentSession } from "../core/agent.js";
import type { Assessment } from "../core/judgement/assess.js";
import type { Evidence } from "../core/judgement/evidence/state.js";
import type { AgentProfile } from "../programs/shared/profile.js";
import type { EffectClock } from "./keys/terminal-session.js";
import type { Environments } from "./start/environments.js";

export interface StartContext {
  environments: Environments;
  /** What the process beside a spawned agent runs. */
  hostScript: string;
}

/** Another watched session that has not ended, and what it has open. */
export interface OpenSession extends Pick<AgentSession, "name" | "pid" | "pidStart"> {
  conversation: string | null;
  transcript: string | null;
}

export interface EffectContext extends EffectClock {
  paths: RousePaths;
  /** What is known of a kind of program, the user's own profiles included. */
  profileOf(kind: string): AgentProfile;
  /** What is known of a session at this moment; null for one that is not watched. */
  evidence(session: string): Evidence | null;
  /** The verdict of this moment, to be confirmed before anything is ended; null asks for no confirmation. */
  assessment(session: string): Assessment | null;
  /** Somebody ordered it: an end is meant to last, where that of a policy is a step to the next. */
  isOrder?: boolean;
  /** Where the session's transcript is; null where none is known. */
  transcript(session: string): string | null;
  /** Those that are watched beside this session: nobody is started in what one of them has open. */
  others(session: string): readonly OpenSession[];
  /** What starting an agent needs; without it none is started. */
  starting?: StartContext;
  /** How long nobody may have typed before rouse does; a table of its own where it is not said. */
  quietMs?: number;
}
