/** One life of the daemon: the real journal, loop and acting, behind wrappers in which calls fail and lives end. */
import type { AgentSession } from "../../src/core/agent.js";
import type { Incidents } from "../../src/core/incident/incident.js";
import type { Policy } from "../../src/core/policy/policy.js";
import { Acting, type ActingOptions, type Hands } from "../../src/daemon/acting.js";
import type { Clock } from "../../src/daemon/clock.js";
import { Loop } from "../../src/daemon/loop.js";
import { type Journal, openJournal } from "../../src/store/journal.js";
import type { CallFaults } from "./faults.js";

/** Parts that a planted bug replaces. */
export interface Parts {
  acting: (options: ActingOptions) => Acting;
  hands: (hands: Hands) => Hands;
  journal: (journal: Journal) => Journal;
  policy: (policy: Policy) => Policy;
}

export const REAL: Parts = {
  acting: (options) => new Acting(options),
  hands: (hands) => hands,
  journal: (journal) => journal,
  policy: (policy) => policy,
};

export interface LifeOptions {
  path: string;
  clock: Clock;
  faults: CallFaults;
  hands: Hands;
  parts: Parts;
  policyOf: (session: AgentSession) => Policy;
  isAllowed: (session: AgentSession) => boolean;
  /** When somebody last looked, as the daemon before kept it. */
  lookedAt: number | null;
  /** The store fails for some time. */
  isStoreDown: () => boolean;
  /** What is on the disk from now on. */
  onStored: (book: Incidents) => void;
  onChange: NonNullable<ActingOptions["onChange"]>;
}

export class Life {
  readonly journal: Journal;
  readonly loop: Loop;
  readonly acting: Acting;
  /** From here on, nothing that it does reaches the world. */
  isDead = false;
  readonly #options: LifeOptions;
  readonly #real: Journal;

  constructor(options: LifeOptions) {
    this.#options = options;
    const { path, clock, parts } = options;
    this.#real = openJournal(path, { commitWithinMs: 60_000, now: () => clock.now() }).journal;
    this.journal = parts.journal(this.#behindFaults(this.#real));
    this.loop = new Loop(this.journal, clock);
    this.acting = parts.acting({
      store: this.journal.book,
      hands: parts.hands(this.#alive(options.hands)),
      policyOf: options.policyOf,
      isAllowed: options.isAllowed,
      isWell: () => this.journal.isWriting,
      now: () => clock.now(),
      onChange: (changes, book) => {
        if (!this.isDead) options.onChange(changes, book);
      },
      onDone: (session) => {
        if (!this.isDead) this.loop.look(session);
      },
    });
    this.loop.restore(options.lookedAt);
    this.loop.follower = this.acting;
    const now = this.loop.now();
    if (options.lookedAt !== null && options.lookedAt < now) this.acting.gap(options.lookedAt, now);
    this.acting.keepOnly(new Set(this.loop.sessions().map(({ session }) => session.name)));
    this.#real.flush();
  }

  flush(): void {
    this.#real.flush();
  }

  /** The end of it, as a kill ends it: nothing is said or saved any more. */
  bury(): void {
    this.isDead = true;
    this.#real.close();
  }

  #alive(hands: Hands): Hands {
    return {
      can: (session) => hands.can(session),
      carryOut: (action, session) => (this.isDead ? new Promise(() => {}) : hands.carryOut(action, session)),
    };
  }

  #behindFaults(real: Journal): Journal {
    const { faults, isStoreDown, onStored } = this.#options;
    const mustLive = (): void => {
      if (this.isDead) throw new Error("this life is over");
    };
    const dies = (): never => {
      this.isDead = true;
      throw new Error("this life is over");
    };
    return {
      book: {
        load: () => real.book.load(),
        save: (book) => {
          mustLive();
          const fault = isStoreDown() ? "fail_before" : faults.at("save");
          if (fault === "crash_before") dies();
          if (fault === "fail_before") throw new Error("the disk is full");
          real.book.save(book);
          onStored(book);
          if (fault === "crash_after") dies();
          if (fault === "fail_after") throw new Error("the disk failed after all");
        },
      },
      messages: real.messages,
      outbox: real.outbox,
      get isWriting() {
        return real.isWriting && !isStoreDown();
      },
      putSession: (session) => {
        mustLive();
        real.putSession(session);
      },
      sessions: () => real.sessions(),
      acked: (session) => real.acked(session),
      append: async (...args) => {
        mustLive();
        const fault = isStoreDown() ? "fail_before" : faults.at("append");
        if (fault === "crash_before") dies();
        if (fault === "fail_before") throw new Error("the disk is full");
        const appended = await real.append(...args);
        if (fault === "crash_after") dies();
        mustLive();
        return appended;
      },
      flush: () => real.flush(),
      read: (...args) => real.read(...args),
      readSince: (...args) => real.readSince(...args),
      prune: (bounds) => real.prune(bounds),
      stats: () => real.stats(),
      close: () => real.close(),
    };
  }
}
