/**
 * One run of the daemon: the real journal, loop and incident engine, behind wrappers that fail calls and end the
 * run.
 */
import type { AgentSession } from "../../src/core/agent.js";
import { canonicalJson } from "../../src/core/digest.js";
import type { IncidentState } from "../../src/core/incidents/incident.js";
import type { Policy } from "../../src/core/policy/policy.js";
import type { SessionJudge } from "../../src/core/session-judge.js";
import type { Effects } from "../../src/daemon/action-runner.js";
import { AlertOutbox } from "../../src/daemon/alert-outbox.js";
import type { AlertSender } from "../../src/daemon/alert-sender.js";
import type { Loop } from "../../src/daemon/loop.js";
import type { LoopEvent } from "../../src/daemon/loop-options.js";
import { DaemonClock, type Moment } from "../../src/daemon/self/clock.js";
import { Compaction } from "../../src/daemon/self/compaction.js";
import { type AppendResult, type Journal, openJournal } from "../../src/store/journal.js";
import { loopOver, testRules } from "../support/loops.js";
import { noticeRules, type Post, simCourier } from "./ends.js";
import type { Call, CallFaults } from "./faults.js";

/** Parts that a planted bug replaces. */
export interface Parts {
  effects: (effects: Effects) => Effects;
  journal: (journal: Journal) => Journal;
  policy: (policy: Policy) => Policy;
}

export const REAL: Parts = {
  effects: (effects) => effects,
  journal: (journal) => journal,
  policy: (policy) => policy,
};

export interface LifeOptions {
  path: string;
  clock: DaemonClock;
  faults: CallFaults;
  effects: Effects;
  parts: Parts;
  policyOf: (session: AgentSession) => Policy;
  isAllowed: (session: AgentSession) => boolean;
  /** The time of the last observation, as the previous daemon stored it. */
  checked: Moment | null;
  /** The store fails for some time. */
  isStoreDown: () => boolean;
  /** The state that is on the disk from now on. */
  onStored: (incidentState: IncidentState) => void;
  onChange: (changes: Extract<LoopEvent, { kind: "incidents" }>["changes"], incidentState: IncidentState) => void;
  post: Post;
}

export class Life {
  readonly journal: Journal;
  readonly loop: Loop;
  readonly alertSender: AlertSender;
  readonly alerts: AlertOutbox;
  /** From here on, none of its effects reach the world. */
  isDead = false;
  readonly #options: LifeOptions;
  readonly #real: Journal;
  /** Sessions with signals that could not be stored. */
  readonly #unstored = new Set<string>();
  readonly #compaction: Compaction;

  constructor(options: LifeOptions) {
    this.#options = options;
    const { path, clock, parts, checked } = options;
    const { journal, notes } = openJournal(path, { commitWithinMs: 60_000, now: () => clock.now() });
    if (notes.length > 0) throw new Error(`a journal that only rouse wrote is damaged: ${notes.join("; ")}`);
    this.#real = journal;
    this.journal = parts.journal(this.#behindFaults(this.#real));
    const effects = parts.effects(this.#alive(options.effects));
    const rules = {
      ...testRules(),
      ...noticeRules((agent) => this.#patienceMs(agent)),
      policyOf: options.policyOf,
      isAllowed: options.isAllowed,
      can: (session: AgentSession) => effects.can(session),
      isObserverHealthy: () => this.journal.isWriting,
    };
    this.alerts = new AlertOutbox(this.journal.outbox);
    this.alertSender = simCourier({
      loop: () => this.loop,
      alerts: this.alerts,
      post: options.post,
      isDead: () => this.isDead,
      die: () => {
        this.isDead = true;
      },
    });
    this.loop = loopOver(this.journal, clock, rules, {
      carryOut: (action, session) => effects.carryOut(action, session),
      send: () => this.alertSender.pump(),
      alerts: this.alerts,
    });
    this.loop.subscribe((event) => {
      if (event.kind === "incidents" && !this.isDead) options.onChange(event.changes, this.loop.incidents);
    });
    for (const _ of this.loop.restoring(checked));
    this.#real.flush();
    const limits = { tails: 1000, tailMin: 20, pieceSignals: 50, looseBytes: 10_000 };
    this.#compaction = new Compaction({ journal: this.#real, state: this.loop.state, release: "test", limits });
  }

  flush(): void {
    this.#real.flush();
  }

  /**
   * Sessions whose journal gives another history than this run does. Signals that could not be stored are left out:
   * a note about rouse's own blindness is known only to the run that made it.
   */
  unlikeJournal(): string[] {
    const { now, sessions } = { now: this.loop.now(), sessions: this.loop.sessions() };
    const read = writing(this.#real, ["append", "putSession", "outdateSnapshot"], () => Promise.resolve(NOTHING));
    const whole = new Proxy(read, {
      get: (target, name) => (name === "snapshot" ? () => null : Reflect.get(target, name)),
    });
    return Object.entries({ folded: whole, "folded from a snapshot": read }).flatMap(([how, journal]) => {
      // The machine's uptime does not count either: a slow replay is not a sleep.
      const clock = new DaemonClock(
        () => ({ wall: now, monotonic: 0 }),
        () => ({ ms: 0, boot: null }),
      );
      const fold = loopOver(journal, clock, testRules());
      for (const _ of fold.restoring({ now, wall: now, uptime: null }));
      return sessions.flatMap((judge) => {
        const { id: session } = judge.session;
        const folded = fold.find(session);
        if (this.#unstored.has(session) || !folded) return [];
        const [live, again] = [judge, folded].map((one) => storyOf(one, now));
        return live === again ? [] : [`${judge.session.name} is ${live}, ${how} ${again}`];
      });
    });
  }

  /** Small pieces, so that a day has many snapshots. */
  compact(): void {
    if (this.isDead || this.loop.ticks % COMPACT_EVERY !== 0) return;
    this.#compaction.step(this.loop.now());
  }

  /** Ends the run like a kill: nothing more is sent or saved. */
  bury(): void {
    this.isDead = true;
    void this.alertSender.close();
    this.#real.close();
  }

  #patienceMs(agent: string): number {
    const judge = this.loop.find(agent);
    return judge ? this.#options.policyOf(judge.session).patienceMs : 0;
  }

  #alive(effects: Effects): Effects {
    return {
      can: (session) => effects.can(session),
      carryOut: (action, session) => (this.isDead ? new Promise(() => {}) : effects.carryOut(action, session)),
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
    const failing = (call: Call, write: () => unknown): unknown => {
      mustLive();
      const fault = isStoreDown() ? "fail_before" : faults.at(call);
      if (fault === "crash_before") dies();
      if (fault === "fail_before") throw new Error("the disk is full");
      const written = write();
      if (fault === "crash_after") dies();
      if (fault === "fail_after") throw new Error("the disk failed after all");
      return written;
    };
    const notifier = (write: () => unknown): unknown => failing("report", write);
    return {
      incidentState: {
        load: () => real.incidentState.load(),
        save: (incidentState, alongside) => {
          failing("save", () => {
            real.incidentState.save(incidentState, alongside);
            onStored(incidentState);
          });
        },
      },
      messages: writing(real.messages, ["inOne", "send", "ack", "forget"], notifier),
      outbox: writing(real.outbox, ["inOne", "settle", "prune", "revive", "dismiss"], notifier),
      audit: real.audit,
      get isWriting() {
        return real.isWriting && !isStoreDown();
      },
      isDamaged: real.isDamaged,
      checkFile: () => real.checkFile(),
      putSession: (session) => {
        mustLive();
        if (isStoreDown()) throw new Error("the disk is full");
        real.putSession(session);
      },
      sessions: () => real.sessions(),
      acked: (session) => real.acked(session),
      append: async (...args) => {
        mustLive();
        const fault = isStoreDown() ? "fail_before" : faults.at("append");
        if (fault === "crash_before") dies();
        if (fault === "fail_before") this.#unstored.add(args[0]);
        if (fault === "fail_before") throw new Error("the disk is full");
        const appended = await real.append(...args);
        if (fault === "crash_after") dies();
        mustLive();
        return appended;
      },
      flush: () => real.flush(),
      read: (...args) => real.read(...args),
      startOfNewest: (...args) => real.startOfNewest(...args),
      sizes: () => real.sizes(),
      snapshot: (session) => real.snapshot(session),
      putSnapshot: (...args) => real.putSnapshot(...args),
      outdateSnapshot: (session) => real.outdateSnapshot(session),
      pack: (session) => real.pack(session),
      prune: (bounds) => real.prune(bounds),
      stats: () => real.stats(),
      close: () => real.close(),
    };
  }
}

/** Ticks between two pieces. */
const COMPACT_EVERY = 20;

const NOTHING: AppendResult = { acked: 0, fresh: [], lost: 0 };

/** The verdict on a session, with all its evidence. */
function storyOf(judge: SessionJudge, now: number): string {
  const { state, cause } = judge.peek(now);
  return canonicalJson([state, cause, JSON.parse(JSON.stringify(judge.evidence))]);
}

/** The same table, with a wrapper around every write. */
function writing<T extends object>(
  table: T,
  writes: readonly (keyof T)[],
  around: (write: () => unknown) => unknown,
): T {
  return new Proxy(table, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      const call = (...args: unknown[]): unknown => Reflect.apply(found, target, args);
      return writes.includes(name as keyof T) ? (...args: unknown[]) => around(() => call(...args)) : call;
    },
  });
}
