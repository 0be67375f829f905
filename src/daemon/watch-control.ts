/** The rules for adopting agents: those of the configuration and those of `rouse watch`, which survive a restart. */
import { join } from "node:path";
import type { LocalSensors } from "./intake/local-sensors.js";
import { joinRules, readRules, removeFromRules, type WatchRules, writeRules } from "./intake/watch-rules.js";
import type { DaemonControl } from "./parts.js";

type Sensors = Pick<LocalSensors, "watch" | "unwatch">;

export class WatchControl {
  readonly #file: string;
  readonly #configured: WatchRules;
  #rules: WatchRules;

  /** `tags`: worker tags of the configuration. */
  constructor(state: string, tags: readonly string[]) {
    this.#file = join(state, "watch.json");
    this.#configured = { programs: false, tags: [...tags], names: [] };
    const kept = readRules(this.#file);
    this.#rules = { ...joinRules(this.#configured, kept), ...(kept.except ? { except: kept.except } : {}) };
  }

  get rules(): WatchRules {
    return this.#rules;
  }

  over(sensors: Sensors): Pick<DaemonControl, "watch" | "watchRules" | "unwatch"> {
    return {
      watchRules: () => this.#rules,
      watch: async (wanted) => {
        this.#set(joinRules(wanted.replace ? this.#configured : this.#rules, wanted));
        await sensors.watch(this.#rules);
        return this.#rules;
      },
      unwatch: async (names, agents) => {
        this.#set(removeFromRules(this.#rules, names, agents));
        await sensors.unwatch(this.#rules, agents);
      },
    };
  }

  #set(rules: WatchRules): void {
    this.#rules = rules;
    writeRules(this.#file, rules);
  }
}
