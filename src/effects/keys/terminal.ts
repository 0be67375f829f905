/** An agent's terminal as the effects use it: check the screen, then press keys while the check is valid. */
import type { Keys, Precondition, TerminalState } from "../../core/policy/typing-checks.js";
import type { InputSignal } from "../../core/signal.js";
import type { TypedBy } from "../../terminal/frames.js";

/** The screen and the ticket for `press`; or why the screen cannot be read. A program on pipes has no terminal. */
export type TerminalCheck<Ticket> =
  | { terminalState: TerminalState; ticket: Ticket }
  | { terminalState: null; reason: string; isPiped?: boolean };

export type PressResult =
  | { result: "pressed" }
  /** Nothing was written. */
  | { result: "refused"; reason: string }
  /** The keys were sent, but the result is unknown. */
  | { result: "unknown"; reason: string };

export interface Terminal<Ticket = unknown> {
  check(): Promise<TerminalCheck<Ticket>>;
  /** Reading the screen again, checking `precondition` and writing the keys are one step at the terminal itself. */
  press(ticket: Ticket, keys: Keys, precondition: Precondition): Promise<PressResult>;
  close(): void;
}

/** On whose behalf rouse types. A host reports the keys itself; those for a tmux pane are reported here. */
export interface Typing {
  by: TypedBy;
  typed?: (signal: InputSignal) => void;
}
