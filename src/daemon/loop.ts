/**
 * The loop, in the words of the design: take in, append, assess; deciding, acting and telling build on its changes.
 *
 * Signals are stored before they are judged. Each session is judged when something came, and at the moment that the
 * judgement itself named; a slow tick is only the floor. One session that cannot be judged is set aside alone.
 */
import type { AgentSession } from "../core/agent.js";
import type { Settings } from "../core/defaults.js";
import type { Signal } from "../core/signal.js";
import type { Journal } from "../store/journal.js";
import { type Clock, gapBetween } from "./clock.js";
import { Watched } from "./watched.js";

/** The loop looks up at least so often. */
const TICK_MS = 1000;
/**
 * Each session is judged at least so often: the moment that a judgement names is counted without the time in which
 * nobody looked, so after a gap it may lie in the past.
 */
const FLOOR_MS = 10_000;
/** Sessions that ended are forgotten by the loop after so long; the journal keeps them. */
const ENDED_KEPT_MS = 24 * 3600_000;

export interface Change {
  watched: Watched;
  at: number;
}

export class Loop {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  readonly #onChange: (change: Change) => void;
  #timer: NodeJS.Timeout | null = null;
  #lookedAt: number;
  /** Finished ticks: what a watcher of the watchdog may rely on. */
  ticks = 0;

  readonly #settings: Settings;

  constructor(journal: Journal, clock: Clock, onChange: (change: Change) => void = () => {}, settings: Settings = {}) {
    this.#settings = settings;
    this.#journal = journal;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#lookedAt = clock.now();
  }

  /** Folds the journal: what was known before a restart is known again, and the time in between accuses nobody. */
  restore(): void {
    const now = this.#clock.now();
    for (const session of this.#journal.sessions()) {
      if (session.endedAt !== null && now - session.endedAt > ENDED_KEPT_MS) continue;
      const watched = new Watched(session, session.startedAt, this.#settings);
      let last = session.startedAt;
      for (const { signal } of this.#journal.read(session.session)) {
        judgeUntil(watched, signal.at);
        watched.take([signal], signal.at);
        last = Math.max(last, signal.at);
        watched.judge(last);
      }
      if (session.endedAt === null && now > last) {
        this.#keepGap(watched, { from: last, to: now }, now);
      }
      watched.judge(now);
      this.#watched.set(session.session, watched);
    }
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), TICK_MS);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  register(session: AgentSession): number {
    this.#journal.putSession(session);
    const known = this.#watched.get(session.session);
    if (known) known.session = session;
    else this.#watched.set(session.session, new Watched(session, this.#clock.now(), this.#settings));
    return this.#journal.acked(session.session);
  }

  /** Take in, append, assess. Returns up to which number everything is stored; null for a session nobody registered. */
  async ingest(session: string, from: number | null, signals: readonly Signal[]): Promise<number | null> {
    const watched = this.#watched.get(session);
    if (!watched) return null;
    const { acked, fresh } = await this.#journal.append(session, from, this.#timed(signals), this.#lookUp());
    const now = this.#clock.now();
    watched.take(
      fresh.map(({ signal }) => signal),
      now,
    );
    this.#judge(watched, now);
    return acked;
  }

  /** A sense looked at it and found nothing new: rouse is not blind to it. */
  hear(session: string, at: number): void {
    const watched = this.#watched.get(session);
    if (watched) watched.heardAt = Math.max(watched.heardAt, at);
  }

  tick(): void {
    const now = this.#lookUp();
    for (const watched of this.#watched.values()) {
      const { recheckAt, at } = watched.assessment;
      if ((recheckAt !== null && recheckAt <= now) || now - at >= FLOOR_MS) this.#judge(watched, now);
      if (watched.session.endedAt !== null && now - watched.session.endedAt > ENDED_KEPT_MS) {
        this.#watched.delete(watched.session.session);
      }
    }
    this.ticks++;
  }

  sessions(): Watched[] {
    return [...this.#watched.values()];
  }

  /** By id, or by name: the living one first, else the last that had it. */
  find(nameOrId: string): Watched | null {
    const byId = this.#watched.get(nameOrId);
    if (byId) return byId;
    const named = this.sessions().filter((w) => w.session.name === nameOrId);
    return (
      named.find((w) => w.session.endedAt === null) ??
      named.sort((a, b) => b.session.startedAt - a.session.startedAt)[0] ??
      null
    );
  }

  now(): number {
    return this.#clock.now();
  }

  /** The time, and whether some of it was lost: after a sleep, signals may come before the first tick. */
  #lookUp(): number {
    const now = this.#clock.now();
    const gap = gapBetween(this.#lookedAt, now, TICK_MS);
    this.#lookedAt = now;
    if (gap)
      for (const watched of this.#watched.values())
        if (watched.session.endedAt === null) this.#keepGap(watched, gap, now);
    return now;
  }

  /** Hosts stamp with the wall clock; when that was set back, the loop's own time runs ahead of it. */
  #timed(signals: readonly Signal[]): readonly Signal[] {
    const now = this.#clock.now();
    const ahead = this.#clock.ahead;
    return ahead === 0 ? signals : signals.map((signal) => ({ ...signal, at: Math.min(now, signal.at + ahead) }));
  }

  /** Nobody looked: known at once, and stored, so that a later fold knows it too. It says nothing of the agent itself. */
  #keepGap(watched: Watched, span: { from: number; to: number }, now: number): void {
    const gap: Signal = { kind: "gap", at: now, source: "observer", ...span };
    watched.take([gap], watched.heardAt);
    this.#journal.append(watched.session.session, null, [gap], now).catch(() => {
      // A journal that cannot be written says so itself; the gap is known in memory all the same.
    });
  }

  #judge(watched: Watched, now: number): void {
    if (watched.judge(now)) this.#onChange({ watched, at: now });
  }
}

/** Judges at the moments that the judgement named, so that a fold tells the same story as the watching did. */
function judgeUntil(watched: Watched, until: number): void {
  for (let step = 0; step < FOLD_STEPS_MAX; step++) {
    const due = watched.assessment.recheckAt;
    if (due === null || due >= until) return;
    watched.judge(due);
  }
}

/** A silence of hours is stepped through every half minute at the most often. */
const FOLD_STEPS_MAX = 2000;
