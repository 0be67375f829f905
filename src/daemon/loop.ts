/**
 * The loop, in the words of the design: take in, append, assess; whoever decides, acts and tells follows it.
 *
 * Signals are stored before they are judged. Each session is judged when something came, and at the moment that the
 * judgement itself named; a slow tick is only the floor. One session that cannot be judged is set aside alone.
 */
import type { AgentSession } from "../core/agent.js";
import { habitsOf } from "../core/learned.js";
import type { Signal } from "../core/signal.js";
import type { Journal } from "../store/journal.js";
import { type Clock, gapBetween, type Look, type Moment, TICK_MS } from "./clock.js";
import { ENDED_KEPT_MS, foldJournal, judgeUntil } from "./fold-journal.js";
import { spendOf } from "./night.js";
import { type Heard, type JudgingOptions, Watched } from "./watched.js";

/**
 * Each session is judged at least so often: the moment that a judgement names is counted without the time in which
 * nobody looked, so after a gap it may lie in the past.
 */
const FLOOR_MS = 10_000;
/** After a gap, as much time again does not count, up to this: agents find their connections gone and begin anew. */
const GRACE_MS = 60_000;

/** Who builds on the judgements: see `acting.ts`. */
export interface Follower {
  /** After every judgement, changed or not. */
  judged(watched: Watched, now: number): void;
  /** Nobody looked in this span. */
  gap(from: number, to: number): void;
  /** The agent of this session had another name until now. */
  renamed(watched: Watched, from: string): void;
  /** At the end of every tick. */
  tick(now: number): void;
  /** The loop knows it no longer. */
  forget(watched: Watched): void;
}

export class Loop {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  /** None while the journal is folded: what was done then is in the book. */
  follower: Follower | null = null;
  /** Those who are told when a state or its cause became another. */
  readonly changed = new Set<(watched: Watched, now: number) => void>();
  #timer: NodeJS.Timeout | null = null;
  #looked: Look;
  /**
   * What came could not be stored, so it is not judged either: until something can be, nobody is heard of and no silence
   * accuses. The note that rouse is blind to an agent is itself the next try.
   */
  #isDeaf = false;
  /** Finished ticks: what a watcher of the watchdog may rely on. */
  ticks = 0;
  /** When the last one finished, on the daemon's clock. */
  tickedAt: number | null = null;
  /** When the first of them was finished: so long after the start of the process, and with so much work. */
  judging: { after_ms: number; cpu_ms: number } | null = null;
  /** An agent says that it is there: at its start, and with every beat. */
  onRegister: (session: AgentSession) => void = () => {};
  /** Called at the end of each, and only then. */
  onTick: (now: number) => void = () => {};

  readonly settingsFor: (session: AgentSession) => JudgingOptions;

  /** Each agent is judged by settings of its own: projects differ, and people say which alarms were false. */
  constructor(journal: Journal, clock: Clock, settingsFor: (session: AgentSession) => JudgingOptions = () => ({})) {
    this.settingsFor = settingsFor;
    this.#journal = journal;
    this.#clock = clock;
    this.#looked = clock.look;
  }

  /**
   * Folds the journal: what was known before a restart is known again, and the time since somebody last looked accuses
   * nobody. `looked` is that moment, where it is known; else it was at the last signal. Yields every few signals, so
   * that a long journal can be folded in pieces; returns how many signals there were.
   */
  *restoring(looked: Moment | null = null): Generator<number, number> {
    if (looked) this.#clock.resume(looked);
    const { folded, sessions } = yield* foldJournal(this.#journal, this.#clock, this.settingsFor);
    // All of them are known before anybody is told what time it is.
    for (const { watched, last } of sessions) this.#wake(watched, last, looked);
    this.#looked = this.#clock.look;
    return folded;
  }

  #wake(watched: Watched, last: number, looked: Moment | null): void {
    const { session } = watched;
    const now = this.#clock.now();
    if (session.endedAt === null) {
      const seen = Math.min(now, Math.max(last, looked?.now ?? last));
      judgeUntil(watched, seen);
      const from = this.#clock.unwatchedFrom(seen, looked);
      if (now > from) this.#keepGap(watched, { from, to: now }, now);
      // Beats of a host are not stored: who was not lost before has the usual time to be heard of.
      if (!watched.evidence.blind) watched.heardAt = now;
    }
    watched.judge(now);
    this.#watched.set(session.session, watched);
  }

  /** The time since the last look of a life before this one. */
  unwatched(looked: Moment): { from: number; to: number } {
    return { from: this.#clock.unwatchedFrom(looked.now, looked), to: this.#clock.now() };
  }

  /** The same in one go. */
  restore(looked: Moment | null = null): void {
    for (const _ of this.restoring(looked));
  }

  start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.tick();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  register(session: AgentSession): number {
    this.#journal.putSession(session);
    this.onRegister(session);
    const known = this.#watched.get(session.session);
    if (known) {
      const { name, workspace } = known.session;
      known.session = session;
      if (name !== session.name) this.#rename(known, name);
      // A pane's program may go to another folder, where another project's settings hold.
      else if (workspace !== session.workspace) known.settings = this.settingsFor(session);
    } else {
      const before = this.find(session.name);
      const now = this.#clock.now();
      const watched = new Watched(session, now, this.settingsFor(session));
      this.#watched.set(session.session, watched);
      if (before) this.#keepHabits(watched, before, now);
    }
    return this.#journal.acked(session.session);
  }

  /** It is the same agent all the same, and its earlier sessions are those of no other. */
  #rename(watched: Watched, from: string): void {
    const { name } = watched.session;
    for (const earlier of this.sessions()) {
      if (earlier.session.name !== from || earlier.session.endedAt === null) continue;
      earlier.session = { ...earlier.session, name };
      this.#journal.putSession(earlier.session);
    }
    this.follower?.renamed(watched, from);
    watched.settings = this.settingsFor(watched.session);
  }

  /** Take in, append, assess. Returns up to which number everything is stored; null for a session nobody registered. */
  async ingest(session: string, from: number | null, signals: readonly Signal[]): Promise<number | null> {
    const watched = this.#watched.get(session);
    if (!watched) return null;
    const at = this.#lookUp();
    const { acked, fresh } = await this.#append(session, from, this.#timed(signals), at);
    // The moment that is stored with them: a later fold judges as it was judged here.
    const now = Math.max(at, watched.assessment.at);
    watched.take(
      fresh.map(({ signal }) => signal),
      now,
    );
    this.hear(session, from === null ? "senses" : "host", at);
    this.#judge(watched, now);
    return acked;
  }

  /** Whoever sees it is there, though there may be nothing new. */
  hear(session: string, by: Heard, at: number = this.#clock.now()): void {
    const watched = this.#watched.get(session);
    if (!watched || this.#isDeaf) return;
    watched.hear(at, by);
    this.#keepSight(watched, this.#clock.now());
  }

  /** Its pane tells nothing at present, and why. */
  lose(session: string, why: string): void {
    const watched = this.#watched.get(session);
    if (watched) watched.dark = why;
  }

  tick(): void {
    const now = this.#lookUp();
    for (const watched of this.#watched.values()) {
      this.#keepSight(watched, now);
      const { recheckAt, at } = watched.assessment;
      const isDue = (recheckAt !== null && recheckAt <= now) || now - at >= FLOOR_MS;
      if (isDue && !this.#isDeaf) this.#judge(watched, now);
      if (watched.session.endedAt !== null && now - watched.session.endedAt > ENDED_KEPT_MS) {
        this.#watched.delete(watched.session.session);
        this.follower?.forget(watched);
      }
    }
    this.follower?.tick(now);
    this.ticks++;
    this.tickedAt = this.#clock.now();
    this.judging ??= sinceStart();
    this.onTick(now);
  }

  /** Something was done to it: judges it now. */
  look(session: string): void {
    const watched = this.#watched.get(session);
    if (watched) this.#judge(watched, this.#lookUp());
  }

  /** The settings for an agent have changed. */
  retune(agent: string): void {
    const now = this.#lookUp();
    for (const watched of this.sessions().filter(({ session }) => session.name === agent)) {
      watched.settings = this.settingsFor(watched.session);
      this.#judge(watched, now);
    }
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
    const look = this.#clock.look;
    const { now } = look;
    const gap = gapBetween(this.#looked, look, TICK_MS);
    this.#looked = look;
    if (gap) this.follower?.gap(gap.from, gap.to);
    if (gap)
      for (const watched of this.#watched.values())
        if (watched.session.endedAt === null) this.#keepGap(watched, gap, now);
    return now;
  }

  /** Hosts stamp with the wall clock. */
  #timed(signals: readonly Signal[]): readonly Signal[] {
    if (this.#clock.ahead === 0) return signals;
    return signals.map((signal) => ({ ...signal, at: this.#clock.timed(signal.at) }));
  }

  /** Nobody looked: it says nothing of the agent itself. */
  #keepGap(watched: Watched, span: { from: number; to: number }, now: number): void {
    const graceMs = Math.min(GRACE_MS, span.to - span.from);
    this.#note(watched, { kind: "gap", at: now, source: "observer", ...span, graceMs }, now);
  }

  /** What was learned of an agent holds for its next session, as long as it is the same program. */
  #keepHabits(watched: Watched, before: Watched, now: number): void {
    const habits = habitsOf(before.evidence.tools.learned);
    if (habits.length === 0 || before.session.kind !== watched.session.kind) return;
    this.#note(watched, { kind: "habits", at: now, source: "observer", habits }, now);
    watched.judge(now);
  }

  #keepSight(watched: Watched, now: number): void {
    const turned = watched.sight(now, this.#isDeaf ? "what it sends cannot be stored" : null);
    if (!turned) return;
    // What was not seen accuses nobody, whoever it was that did not look.
    const { blind } = watched.evidence;
    if (blind) {
      this.#keepGap(watched, { from: blind.since, to: now }, now);
      watched.sightedAt = now;
    }
    this.#note(watched, turned, now);
    this.#judge(watched, now);
  }

  async #append(
    session: string,
    from: number | null,
    signals: readonly Signal[],
    at: number,
  ): ReturnType<Journal["append"]> {
    try {
      const appended = await this.#journal.append(session, from, signals, at);
      this.#isDeaf = false;
      return appended;
    } catch (error) {
      this.#isDeaf = true;
      throw error;
    }
  }

  /** rouse's own word about its watching: known at once, and stored, so that a later fold knows it too. */
  #note(watched: Watched, signal: Signal, now: number): void {
    watched.take([signal], now);
    this.#append(watched.session.session, null, [signal], now).catch(() => {
      // A journal that cannot be written says so itself; the note is known in memory all the same.
    });
  }

  #judge(watched: Watched, now: number): void {
    const isChanged = watched.judge(now);
    watched.spend = spendOf(watched, this.#watched.values(), now);
    if (this.#isCurrent(watched)) this.follower?.judged(watched, now);
    if (isChanged) for (const tell of this.changed) tell(watched, now);
  }

  /** What an agent's older sessions left behind is history: nobody acts on the crash of one that lives again. */
  #isCurrent(watched: Watched): boolean {
    return watched.session.endedAt === null || this.find(watched.session.name) === watched;
  }
}

function sinceStart(): { after_ms: number; cpu_ms: number } {
  const { user, system } = process.cpuUsage();
  return { after_ms: Math.round(performance.now()), cpu_ms: Math.round((user + system) / 1000) };
}
