/**
 * The one way for keys into an agent's terminal. `press` takes a `ScreenTicket`, which only `look` can make: it is good for
 * one press, and only for a moment. So nothing can be typed that was not looked at first.
 */
import { type Keys, type Precondition, refuseReason, type TerminalState } from "../../core/policy/typing-checks.js";
import type { PressResult, Terminal } from "./terminal.js";

const FRESH_MS = 2000;
/** Why nothing was pressed on a look that was good when it was asked for. */
export const TOO_OLD = "the look is too old";

class ScreenTicket<Ticket = unknown> {
  readonly #keyboard: Keyboard<Ticket>;
  readonly #ticket: Ticket;
  readonly #at: number;
  #isUsed = false;

  constructor(
    readonly terminalState: TerminalState,
    keyboard: Keyboard<Ticket>,
    ticket: Ticket,
    at: number,
  ) {
    this.#keyboard = keyboard;
    this.#ticket = ticket;
    this.#at = at;
  }

  /** What the terminal needs to know it again; or why it is good for nothing any more. */
  use(keyboard: Keyboard<Ticket>, now: number): { ticket: Ticket } | string {
    if (this.#keyboard !== keyboard) return "that was a look at another terminal";
    if (this.#isUsed) return "a look is good for one press";
    this.#isUsed = true;
    if (now - this.#at > FRESH_MS || now < this.#at) return TOO_OLD;
    return { ticket: this.#ticket };
  }
}

// The class stays here: whoever has one got it from `look`.
export type { ScreenTicket };

export class Keyboard<Ticket = unknown> {
  readonly #terminal: Terminal<Ticket>;
  readonly #now: () => number;

  constructor(terminal: Terminal<Ticket>, now: () => number) {
    this.#terminal = terminal;
    this.#now = now;
  }

  async check(): Promise<ScreenTicket<Ticket> | { terminalState: null; reason: string }> {
    const at = this.#now();
    const check = await this.#terminal.check();
    return check.terminalState === null ? check : new ScreenTicket(check.terminalState, this, check.ticket, at);
  }

  async press(
    check: ScreenTicket<Ticket>,
    keys: Keys,
    wanted: Omit<Precondition, "composerDigest">,
  ): Promise<PressResult> {
    const used = check.use(this, this.#now());
    if (typeof used === "string") return { result: "refused", reason: used };
    const precondition: Precondition = { ...wanted, composerDigest: check.terminalState.screenState.composerDigest };
    const objection = refuseReason(check.terminalState, precondition);
    if (objection !== null) return { result: "refused", reason: objection };
    return this.#terminal.press(used.ticket, keys, precondition);
  }

  close(): void {
    this.#terminal.close();
  }
}
