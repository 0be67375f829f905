/** What the loop is built from, and what it publishes. */

import type { AgentSession } from "../core/agent.js";
import type { Effect } from "../core/effects.js";
import type { NodeState } from "../core/node-state.js";
import type { Signal } from "../core/signal.js";
import type { Journal } from "../store/journal.js";
import type { Effects } from "./action-runner.js";
import type { AlertOutbox } from "./alert-outbox.js";
import type { DaemonClock } from "./self/clock.js";

export interface LoopOptions {
  journal: Journal;
  clock: DaemonClock;
  state: NodeState;
  carryOut: Effects["carryOut"];
  alerts: AlertOutbox;
  /** Sends the outbox; called after every tick. */
  send: (now: number) => void;
  /** The inbox that messages about incidents go to. */
  receiver: string;
  /** Of rouse: what another one made of the signals in the journal is made again. */
  release: string;
  /** With the name that a user gave it: its host or pane goes on reporting the first one. */
  named?: (session: AgentSession) => AgentSession;
  /** A session was registered or gave a heartbeat. */
  onRegister: (session: AgentSession) => void;
}

/** Events for subscribers, published after they were saved. */
export type LoopEvent =
  | Extract<Effect, { kind: "assessed" | "incidents" | "renamed" }>
  | { kind: "tick" }
  | { kind: "signals"; session: string; signals: readonly Signal[] };
