/** Runs actions whose intent is saved, and turns every end of one into an outcome. */
import type { Action, ActionName, Outcome } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";

/** Carries actions out. */
export interface Effects {
  /** Which actions are possible with this agent at all. */
  can(session: AgentSession): readonly ActionName[];
  /** Checks identity and preconditions again, acts, and reports what happened. */
  carryOut(action: Action, session: AgentSession): Promise<Outcome>;
}

export class ActionRunner {
  readonly #carryOut: Effects["carryOut"];
  readonly #now: () => number;
  readonly #running = new Set<{ until: number; giveUp: () => void }>();

  constructor(carryOut: Effects["carryOut"], now: () => number) {
    this.#carryOut = carryOut;
    this.#now = now;
  }

  /** Past its deadline the outcome is unknown, whatever is reported later. Never throws. */
  async run(action: Action, session: AgentSession, now: number): Promise<Outcome> {
    const running = { until: now + action.deadlineMs, giveUp: (): void => {} };
    const late = new Promise<Outcome>((resolve) => {
      running.giveUp = () => resolve(this.outcome(action, "unknown", "it did not end in its time"));
    });
    this.#running.add(running);
    const outcome = await Promise.race([this.#attempt(action, session), late]);
    this.#running.delete(running);
    return outcome;
  }

  tick(now: number): void {
    for (const { until, giveUp } of this.#running) if (until <= now) giveUp();
  }

  outcome({ id }: Action, result: Outcome["result"], reason: string): Outcome {
    return { intent: id, at: this.#now(), result, reason, proven: null };
  }

  async #attempt(action: Action, session: AgentSession): Promise<Outcome> {
    try {
      return await this.#carryOut(action, session);
    } catch (error) {
      return this.outcome(action, "unknown", `it broke off: ${(error as Error).message}`);
    }
  }
}
