/**
 * Applies changed configuration files to agents that are already watched. A few agents per tick: reading the files of a
 * folder takes about 2 ms.
 */
import type { JudgingOptions, SessionJudge } from "../core/session-judge.js";
import type { AgentSettings } from "./agent-settings.js";
import type { Loop } from "./loop.js";

const PER_TICK = 5;

export class SettingsFollower {
  readonly #loop: Pick<Loop, "sessions" | "take">;
  readonly #settings: Pick<AgentSettings, "settingsFor">;
  #next = 0;

  constructor(loop: Pick<Loop, "sessions" | "take">, settings: Pick<AgentSettings, "settingsFor">) {
    this.#loop = loop;
    this.#settings = settings;
  }

  /** To be called with every tick of the loop. */
  tick(): void {
    const live = this.#loop.sessions().filter(({ session }) => session.endedAt === null);
    if (this.#next >= live.length) this.#next = 0;
    const checked = live.slice(this.#next, this.#next + PER_TICK);
    this.#next += PER_TICK;
    const changed = checked.filter((judge) => this.#hasChanged(judge)).map(({ session }) => session.name);
    for (const agent of new Set(changed)) this.#loop.take({ kind: "retune", agent });
  }

  #hasChanged({ session, settings }: SessionJudge): boolean {
    return textOf(this.#settings.settingsFor(session)) !== textOf(settings);
  }
}

/** The traits belong to the program and are fixed when a session is created. */
const textOf = ({ traits: _traits, ...settings }: JudgingOptions): string => JSON.stringify(settings);
