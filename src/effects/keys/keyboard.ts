/**
 * The only way to type into an agent's terminal. `press` takes a `ScreenTicket`, which only `check` creates and which is
 * valid for one press and a short time. So nothing can be typed without a screen check.
 */
import { type Keys, type Precondition, refuseReason, type TerminalState } from "../../core/policy/typing-checks.js";
import type { PressResult, Terminal, TerminalCheck } from "./terminal.js";

const FRESH_MS = 2000;
/** Why nothing was pressed although the check itself found nothing wrong. */
export const TOO_OLD = "the screen check is too old";

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

  /** The terminal's own ticket; or why this one is no longer valid. */
  use(keyboard: Keyboard<Ticket>, now: number): { ticket: Ticket } | string {
    if (this.#keyboard !== keyboard) return "the screen check is of another terminal";
    if (this.#isUsed) return "a screen check allows only one key press";
    this.#isUsed = true;
    if (now - this.#at > FRESH_MS || now < this.#at) return TOO_OLD;
    return { ticket: this.#ticket };
  }
}

// Only the type is exported, so every ticket comes from `check`.
export type { ScreenTicket };

export class Keyboard<Ticket = unknown> {
  readonly #terminal: Terminal<Ticket>;
  readonly #now: () => number;

  constructor(terminal: Terminal<Ticket>, now: () => number) {
    this.#terminal = terminal;
    this.#now = now;
  }

  async check(): Promise<ScreenTicket<Ticket> | Extract<TerminalCheck<Ticket>, { terminalState: null }>> {
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
