/** Appends signals to the journal on the daemon's clock, and reports when that starts to fail or works again. */
import type { Effect } from "../core/effects.js";
import type { Signal } from "../core/signal.js";
import type { Journal } from "../store/journal.js";
import type { DaemonClock } from "./self/clock.js";

export class SignalStore {
  readonly #journal: Pick<Journal, "append" | "putSession">;
  readonly #clock: Pick<DaemonClock, "ahead" | "timed">;
  readonly #onResult: (isWorking: boolean, at: number) => void;

  constructor(
    journal: Pick<Journal, "append" | "putSession">,
    clock: Pick<DaemonClock, "ahead" | "timed">,
    onResult: (isWorking: boolean, at: number) => void,
  ) {
    this.#journal = journal;
    this.#clock = clock;
    this.#onResult = onResult;
  }

  async append(
    session: string,
    from: number | null,
    signals: readonly Signal[],
    at: number,
  ): ReturnType<Journal["append"]> {
    try {
      const appended = await this.#journal.append(session, from, this.#onOurClock(signals), at);
      this.#onResult(true, at);
      return appended;
    } catch (error) {
      this.#onResult(false, at);
      throw error;
    }
  }

  /** rouse's own records, and sessions that changed. */
  keep(effects: readonly Effect[], at: number): void {
    for (const effect of effects) {
      // A journal that cannot be written reports it itself.
      if (effect.kind === "append") this.append(effect.session, null, [effect.signal], at).catch(() => {});
      if (effect.kind === "put_session") this.#journal.putSession(effect.session);
    }
  }

  /** Hosts stamp with the wall clock, which may have been set back. */
  #onOurClock(signals: readonly Signal[]): readonly Signal[] {
    const { ahead } = this.#clock;
    return ahead === 0 ? signals : signals.map((signal) => ({ ...signal, at: this.#clock.timed(signal.at) }));
  }
}
