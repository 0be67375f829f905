/** Runs actions whose intent is saved, and records an outcome for each, however it ends. */

import type { Action, ActionName, ActionOutcome } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";

/** Carries actions out. */
export interface Effects {
  /** Which actions are possible with this agent at all. */
  can(session: AgentSession): readonly ActionName[];
  /** Checks identity and preconditions again, acts, and reports what happened. */
  carryOut(action: Action, session: AgentSession): Promise<ActionOutcome>;
}

export interface ActionRunnerOptions {
  carryOut: Effects["carryOut"];
  now: () => number;
  /** Called once per action. */
  onOutcome: (outcome: ActionOutcome, session: AgentSession) => void;
}

export class ActionRunner {
  readonly #options: ActionRunnerOptions;
  readonly #running = new Set<{ until: number; giveUp: () => void }>();
  /** Actions that a user waits for, by id. */
  readonly #awaited = new Map<string, (outcome: ActionOutcome) => void>();

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
  }

  /** `saveProblem`: why the intent could not be saved; then nothing is carried out. */
  async run(action: Action, session: AgentSession, now: number, saveProblem: string | null): Promise<void> {
    const outcome =
      saveProblem === null
        ? await this.#beforeDeadline(action, session, now)
        : await Promise.resolve(this.#outcome(action, "refused", `the intent could not be stored: ${saveProblem}`));
    this.#options.onOutcome(outcome, session);
    this.#awaited.get(action.id)?.(outcome);
    this.#awaited.delete(action.id);
  }

  /** To be called before the action runs. */
  outcomeOf({ id }: Action): Promise<ActionOutcome> {
    return new Promise((resolve) => this.#awaited.set(id, resolve));
  }

  tick(now: number): void {
    for (const { until, giveUp } of this.#running) if (until <= now) giveUp();
  }

  /** Past its deadline the outcome is unknown, whatever is reported later. */
  async #beforeDeadline(action: Action, session: AgentSession, now: number): Promise<ActionOutcome> {
    const running = { until: now + action.deadlineMs, giveUp: (): void => {} };
    const late = new Promise<ActionOutcome>((resolve) => {
      running.giveUp = () => resolve(this.#outcome(action, "unknown", "it did not finish before its deadline"));
    });
    this.#running.add(running);
    const outcome = await Promise.race([this.#attempt(action, session), late]);
    this.#running.delete(running);
    return outcome;
  }

  #outcome({ id }: Action, result: ActionOutcome["result"], reason: string): ActionOutcome {
    return { intent: id, at: this.#options.now(), result, reason, proven: null };
  }

  async #attempt(action: Action, session: AgentSession): Promise<ActionOutcome> {
    try {
      return await this.#options.carryOut(action, session);
    } catch (error) {
      return this.#outcome(action, "unknown", `it failed: ${(error as Error).message}`);
    }
  }
}
