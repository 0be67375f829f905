/** The settings that each agent is judged by: those of the configuration, and what people said of its alarms. */
import type { FeedbackCount } from "../core/incident/incident.js";
import { adaptedSettings } from "../core/incident/learn.js";
import type { JudgingOptions } from "./watched.js";

export class Tuning {
  readonly #base: JudgingOptions;
  #feedback: readonly FeedbackCount[];

  constructor(base: JudgingOptions, feedback: readonly FeedbackCount[]) {
    this.#base = base;
    this.#feedback = feedback;
  }

  readonly settingsFor = (agent: string): JudgingOptions => ({
    ...adaptedSettings(this.#base, this.#feedback, agent),
    ...(this.#base.isJudging === undefined ? {} : { isJudging: this.#base.isJudging }),
  });

  learn(feedback: readonly FeedbackCount[]): void {
    this.#feedback = feedback;
  }
}
