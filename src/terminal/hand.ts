/**
 * Types rouse's own keys into an agent's terminal: the only such place of a host. Reading the agent's latest output,
 * checking the precondition (`core/policy/typing-checks.ts`) and writing are one synchronous step, so nothing else in
 * this process can happen in between. Between the agent's last byte and ours remains an unobservable gap of some
 * microseconds.
 */

import { type Keys, type Precondition, refuseReason, type TerminalState } from "../core/policy/typing-checks.js";
import type { InputSignal } from "../core/signal.js";
import type { AgentProfile } from "../programs/shared/profile.js";
import { identityOf, isInFront } from "../sensors/process/process-sensor.js";
import type { PressAnswer, ScreenAnswer, TypedBy } from "./frames.js";
import type { Observer } from "./observer.js";
import { bytesOfKeys, inputSignal } from "./typed-text.js";

/** The required part of the program's terminal; a program on pipes has none. */
export interface HeldTerminal {
  write(bytes: Uint8Array): boolean;
  catchUp(): { current: boolean; hasOutput: boolean };
  readonly isDrained: boolean;
}

export interface HostHandOptions {
  terminal: HeldTerminal;
  observer: Observer;
  profile: AgentProfile;
  pid: number;
  /** `identityOf(pid)` at its start; null if it could not be read. */
  start: string | null;
  /** When a user last typed, on the clock of `performance`; null for never. */
  typedAt: () => number | null;
  pressed: (bytes: Buffer, signal: InputSignal) => void;
}

/** A program that repaints is between two writes most of the time. */
const TRIES = 8;

export class HostHand {
  readonly #options: HostHandOptions;

  constructor(options: HostHandOptions) {
    this.#options = options;
  }

  check(): ScreenAnswer {
    const seen = this.#see();
    if (typeof seen === "string") return { terminalState: null, reason: seen };
    const { screenState, quietMs } = seen;
    return { terminalState: { screenState, quietMs: Number.isFinite(quietMs) ? quietMs : null } };
  }

  press(keys: Keys, precondition: Precondition, by: TypedBy): PressAnswer {
    const { terminal, profile, pressed } = this.#options;
    const bytes = bytesOfKeys(keys, profile);
    if (bytes.length === 0) return refusedKeys("the program has no such key");
    for (let tries = 0; tries < TRIES; tries++) {
      const seen = this.#see();
      const objection = typeof seen === "string" ? seen : refuseReason(seen, precondition);
      if (objection !== null) return refusedKeys(objection);
      if (!terminal.isDrained) return refusedKeys("the program does not read its input");
      if (terminal.catchUp().hasOutput) continue;
      // Before the program can react to the keys.
      const signal = inputSignal(keys, bytes.length, by, Date.now());
      terminal.write(bytes);
      pressed(bytes, signal);
      return { bytes: bytes.length, reason: null };
    }
    return refusedKeys("the screen keeps changing");
  }

  /** The current screen, or why there is none. */
  #see(): TerminalState | string {
    const { terminal, observer, pid, start, typedAt } = this.#options;
    if (start === null || identityOf(pid) !== start) return "the agent's process is gone";
    if (!isInFront(pid)) return "another program is in the foreground of the agent's terminal, or the agent is stopped";
    if (!terminal.catchUp().current) return "the agent's output is delayed";
    const screenState = observer.screenState();
    if (screenState === null) return "the agent's screen is no longer watched";
    const typed = typedAt();
    return { screenState, quietMs: typed === null ? Number.POSITIVE_INFINITY : performance.now() - typed };
  }
}

const refusedKeys = (reason: string): PressAnswer => ({ bytes: 0, reason });
