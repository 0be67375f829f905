/**
 * Doing what was decided, one thing at a time per agent. The intent is on the disk before the touch; where it cannot be
 * stored, nothing is touched. The outcome is stored after it.
 */
import type { Action, ActionName, Outcome } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";

/** Who carries actions out. */
export interface Hands {
  /** What can be done with this agent at all. */
  can(session: AgentSession): readonly ActionName[];
  /** Checks identity and preconditions on what it sees then, touches, and says what came of it. It never throws. */
  carryOut(action: Action, session: AgentSession): Promise<Outcome>;
}

export interface DoingOptions {
  hands: Hands;
  now: () => number;
  /** Stores the intent; says why it could not, or null. */
  intend: (action: Action, now: number) => string | null;
  done: (outcome: Outcome, session: AgentSession) => void;
}

export class Doing {
  readonly #options: DoingOptions;
  /** Agents that something is being done to, and how it ends when nobody says how. */
  readonly #busy = new Set<{ agent: string; until: number; giveUp: () => void }>();

  constructor(options: DoingOptions) {
    this.#options = options;
  }

  isBusy(agent: string): boolean {
    return [...this.#busy].some((one) => one.agent === agent);
  }

  rename(from: string, to: string): void {
    for (const one of this.#busy) if (one.agent === from) one.agent = to;
  }

  tick(now: number): void {
    for (const { until, giveUp } of this.#busy) if (until <= now) giveUp();
  }

  async act(action: Action, session: AgentSession, now: number): Promise<Outcome> {
    // Past its deadline nobody knows what became of it: what it says later is too late.
    const busy = { agent: session.name, until: now + action.deadlineMs, giveUp: (): void => {} };
    const late = new Promise<Outcome>((resolve) => {
      busy.giveUp = () => resolve(this.#says(action, "unknown", "it did not end in its time"));
    });
    this.#busy.add(busy);
    const problem = this.#options.intend(action, now);
    const outcome =
      problem === null
        ? await Promise.race([this.#carryOut(action, session), late])
        : this.#says(action, "refused", `the intent could not be stored: ${problem}`);
    this.#busy.delete(busy);
    this.#options.done(outcome, session);
    return outcome;
  }

  async #carryOut(action: Action, session: AgentSession): Promise<Outcome> {
    try {
      return await this.#options.hands.carryOut(action, session);
    } catch (error) {
      return this.#says(action, "unknown", `it broke off: ${(error as Error).message}`);
    }
  }

  #says({ id }: Action, result: Outcome["result"], reason: string): Outcome {
    return { intent: id, at: this.#options.now(), result, reason, proven: null };
  }
}
