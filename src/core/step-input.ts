/** Inputs of a node, from its sensors, its store, its actions and its users. */

import type { Action, ActionOutcome } from "./action.js";
import type { AgentSession } from "./agent.js";
import type { Effect } from "./effects.js";
import type { IncidentInput } from "./incidents/fold.js";
import type { PipelineFinding } from "./incidents/pipeline.js";
import type { JudgeState, LivenessSource } from "./session-judge.js";
import type { Signal } from "./signal.js";

export type UserEvent = Extract<
  IncidentInput,
  { kind: "acked" | "explained" | "silenced" | "unsilenced" | "feedback" | "missed" | "forgotten" }
>;

export type StepInput =
  | { kind: "register"; session: AgentSession }
  /** Signals that are stored, or that the disk has no room for. */
  | { kind: "signals"; session: string; by: LivenessSource; signals: readonly Signal[] }
  /** A sign of life without anything new. */
  | { kind: "alive"; session: string; by: LivenessSource; at: number }
  | { kind: "unreadable"; session: string; reason: string }
  /** Something was done to it, or its settings changed: judge it now. */
  | { kind: "check"; session: string }
  | { kind: "retune"; agent: string }
  | { kind: "tick" }
  /** The pipelines were read: all their problems. */
  | { kind: "pipeline"; found: readonly PipelineFinding[] }
  /** The machine slept, or rouse did not run. */
  | { kind: "gap"; from: number; to: number }
  /** After a restart: a session, from a snapshot if there is one, and its stored signals, judged as they were originally. */
  | { kind: "restore"; session: AgentSession; known?: JudgeState | null }
  | { kind: "history"; session: string; signals: readonly Signal[]; by: readonly LivenessSource[] }
  /** All of its history is read; nothing was observed since `unobservedFrom`. */
  | { kind: "restored"; session: string; unobservedFrom: number | null }
  /** All sessions are restored. `unobserved`: from the last observation before the restart until now. */
  | { kind: "restarted"; unobserved: { from: number; to: number } | null }
  | { kind: "user"; event: UserEvent }
  /** A permission was given: decisions that only lacked it are made again. */
  | { kind: "reconsider" }
  /** A user asks for another attempt at one incident. */
  | { kind: "retry"; incident: string }
  | { kind: "order"; action: Action; session: string }
  | { kind: "outcome"; outcome: ActionOutcome; session: string }
  | { kind: "saved" }
  /** Incidents and messages of these effects could not be saved; `problem` is null if no incident was among them. */
  | { kind: "not_saved"; problem: string | null; effects: readonly Effect[] };

/** Inputs that nothing waits for. */
export type UnansweredInput = Extract<
  StepInput,
  { kind: "unreadable" | "check" | "retune" | "reconsider" | "retry" | "pipeline" }
>;
