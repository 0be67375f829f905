/** An agent's terminal as the effects know it: to be looked at, and pressed only where the look still holds. */
import type { Keys, Precondition, TerminalState } from "../../core/policy/typing-checks.js";

/** What was seen, and what `press` needs to know it again; or why nothing can be seen: a program on pipes has no terminal. */
export type TerminalCheck<Ticket> =
  | { terminalState: TerminalState; ticket: Ticket }
  | { terminalState: null; reason: string; isPiped?: boolean };

export type PressResult =
  | { result: "pressed" }
  /** Nothing went in. */
  | { result: "refused"; reason: string }
  /** The order was given, and nobody knows what became of it. */
  | { result: "unknown"; reason: string };

export interface Terminal<Ticket = unknown> {
  check(): Promise<TerminalCheck<Ticket>>;
  /** Looking once more, asking whether `demand` holds, and writing the keys are one step at the terminal itself. */
  press(ticket: Ticket, keys: Keys, precondition: Precondition): Promise<PressResult>;
  close(): void;
}
